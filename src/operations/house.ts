/** What operations may use of the outside, whichever face they were asked through. */
import type { Machine } from '../clients/client.ts';
import type { ConfigFile } from '../config/config-file.ts';
import type { Environment } from '../config/environment.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { Secrets } from '../store/secrets.ts';
import type { Store } from '../store/store.ts';

/** The place in which an operation runs. */
export interface House {
  /** Thimble's data directory. */
  readonly home: string;
  /** Where the person stands. */
  readonly cwd: string;
  readonly env: Environment;
  /** The machine as other programs know it. */
  readonly machine: Machine;
  /** How this program is started: an executable and its first arguments. */
  readonly program: readonly string[];
  /** The configuration file in use. */
  readonly config: ConfigFile;
  /** The store of the home, opened when first asked for; whoever made the house closes it. */
  store(): Promise<Store>;
  /** Values that are kept sealed and referred to as `${secret:NAME}`. */
  secrets(): Promise<Secrets>;
  /** The processes of this home that run servers. */
  readonly running: Running;
  /** Fetches over HTTP; tests put a server of their own in its place. */
  readonly fetch: typeof fetch;
  readonly now: () => Date;
  /** Tells the person what is being done, for whatever may take longer than a second. */
  tell(line: string): void;
  /** Raised when whoever asked has gone. */
  readonly signal: CancelSignal;
}

/** One process that runs servers. */
export interface RunningProcess {
  readonly pid: number;
  /** The command it was started with: serve, stdio or run. */
  readonly command: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Where it serves HTTP, if it does. */
  readonly url: string | undefined;
}

/** One server in one process, as it stands. */
export interface RunningServer {
  readonly id: string;
  readonly state: string;
  /** How it stands and what comes next, as the end of a sentence that begins with its name. */
  readonly says: string;
  readonly pid?: number | undefined;
  readonly uptimeMs?: number | undefined;
  readonly calls: number;
  readonly running: number;
  readonly queued: number;
  readonly restarts: number;
  readonly memoryBytes?: number | undefined;
  /** How many instances run for single clients, beside the one for all that the state is about. */
  readonly scopes?: number | undefined;
  readonly lastError?: { readonly message: string; readonly agoMs: number } | undefined;
  readonly stderr: readonly string[];
  /** The process that has it, after a restart. */
  readonly process?: Pick<RunningProcess, 'pid' | 'command'> | undefined;
  /** What a restart did there: where it rests it is left alone. */
  readonly did?: 'restarted' | 'left' | undefined;
}

/** Asks the processes of this home; none of them need run. */
export interface Running {
  processes(): Promise<readonly RunningProcess[]>;
  /** The servers of all processes that answer; one id may come more than once. What one wrote to stderr comes only when it is named. */
  servers(upstream?: string): Promise<readonly RunningServer[]>;
  /** Ends a server and starts it anew, in every process where it runs; over when it is done. All that have it are told of, with what was done there. A process that does not answer counts as one in the state `unknown`. */
  restart(upstream: string): Promise<readonly RunningServer[]>;
}
