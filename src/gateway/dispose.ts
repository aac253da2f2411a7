/** Ends several parts: one that fails does not keep the others from being ended. */

/** Ends one after the other, and then throws the first error there was. */
export async function disposeInTurn(parts: readonly (Disposable | AsyncDisposable)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    try {
      if (Symbol.asyncDispose in part) await part[Symbol.asyncDispose]();
      else part[Symbol.dispose]();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Ends all at once, waits for each, and then throws the first error there was. */
export async function disposeTogether(parts: readonly AsyncDisposable[]): Promise<void> {
  const outcomes = await Promise.allSettled(parts.map(async (part) => part[Symbol.asyncDispose]()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
