/** Everything that happens in a running gateway and may interest someone: the union of all news. */
import type { UpstreamId } from '../model/ids.ts';

/** One piece of news; listeners (log, sessions, later metrics) pick what they want. */
export type GatewayEvent =
  | {
      readonly type: 'upstream.state';
      readonly upstream: UpstreamId;
      readonly state: string;
      readonly detail: string;
    }
  | {
      readonly type: 'upstream.manifest';
      readonly upstream: UpstreamId;
      readonly tools: number;
      readonly changed: boolean;
    }
  | { readonly type: 'upstream.noise'; readonly upstream: UpstreamId; readonly badLines: number }
  | { readonly type: 'catalog.changed'; readonly tools: number }
  | {
      readonly type: 'names.changed';
      readonly upstream: UpstreamId;
      /** Why these names are not shown as they are. */
      readonly reason: string;
      readonly names: readonly { readonly name: string; readonly publicName: string }[];
    }
  | {
      /** The schema of a tool cannot be used, so that its arguments go to the server as they come. */
      readonly type: 'schema.unchecked';
      readonly upstream: UpstreamId;
      readonly tool: string;
      readonly reason: string;
    }
  | {
      readonly type: 'config.reloaded';
      readonly path: string;
      /** Changed settings that only a restart takes over. */
      readonly pending?: readonly string[];
    }
  | {
      readonly type: 'config.missing';
      /** Where it was looked for, in words. */
      readonly looked: string;
    }
  /** A configuration that was only come upon refers to sealed values, and is given none. */
  | { readonly type: 'config.untrusted'; readonly path: string }
  /** A configuration that is used names what is not there. */
  | { readonly type: 'config.doubtful'; readonly doubts: readonly string[] }
  | { readonly type: 'config.rejected'; readonly path: string; readonly reason: string }
  | { readonly type: 'store.degraded'; readonly reason: string }
  | {
      /** A request was answered with an error that somebody other than the client has to mend. */
      readonly type: 'request.failed';
      /** The id the client was given. */
      readonly fault: string;
      readonly where: string;
      readonly code: string;
      readonly message: string;
    }
  | {
      readonly type: 'fault';
      readonly where: string;
      readonly error: unknown;
      /** The id a client was given, where one was. */
      readonly fault?: string;
    };
