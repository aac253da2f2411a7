/** Keeps a command's process running until the command is done. */

const LONG_MS = 3_600_000;

/** Holds the process; timers of ours do not, so that one that waits for a lock would end in the middle of it. */
export function stayAwake(): Disposable {
  const timer = setInterval(() => {}, LONG_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
