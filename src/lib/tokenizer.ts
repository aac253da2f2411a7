/** Counts tokens of o200k_base in a thread of its own, so that nothing waits for its two megabytes of tables. */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** Counts tokens; disposing it ends its thread. */
export interface Tokenizer extends Disposable {
  /** Tokens of each text, in the same order. */
  count(texts: readonly string[]): Promise<readonly number[]>;
}

/** The thread is let go of after so long without work. */
const IDLE_MS = 10_000;

/** What runs in the thread: told where the tables are, since a thread from text has no place to resolve from. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { countTokens } = require(workerData);
parentPort.on('message', ({ id, texts }) =>
  parentPort.postMessage({ id, counts: texts.map((text) => countTokens(text, { disallowedSpecial: new Set() })) }));
`;

interface Waiting {
  resolve(counts: readonly number[]): void;
  reject(error: Error): void;
}

/** Creates a tokenizer; its thread starts with the first count. */
export function createTokenizer(idleMs = IDLE_MS): Tokenizer {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last = 0;

  function end(error?: Error): void {
    clearTimeout(idle);
    const ended = worker;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error ?? new Error('the tokenizer was ended'));
    waiting.clear();
    void ended?.terminate();
  }

  function start(): Worker {
    const tables = createRequire(import.meta.url).resolve('gpt-tokenizer/encoding/o200k_base');
    const started = new Worker(PROGRAM, { eval: true, workerData: tables });
    // A process that has nothing else to do must not stay for a count.
    started.unref();
    started.on('message', ({ id, counts }: { id: number; counts: number[] }) => {
      waiting.get(id)?.resolve(counts);
      waiting.delete(id);
      if (waiting.size > 0) return;
      started.unref();
      idle = setTimeout(end, idleMs).unref();
    });
    started.on('error', (error) => {
      if (worker === started) end(error instanceof Error ? error : new Error(String(error)));
    });
    return started;
  }

  return {
    count(texts) {
      if (texts.length === 0) return Promise.resolve([]);
      clearTimeout(idle);
      worker ??= start();
      worker.ref();
      const id = ++last;
      worker.postMessage({ id, texts });
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    [Symbol.dispose]: () => end(),
  };
}
