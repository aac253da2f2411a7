/** A signal to give up, as light as a call needs: one of the platform's costs ten microseconds and a finalizer. */

/** The part of `AbortSignal` that calls use; any `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Creates a signal and the way to raise it. */
export function createCancel(): { readonly signal: CancelSignal; abort(reason: unknown): void } {
  return new Cancel();
}

class Cancel implements CancelSignal {
  aborted = false;
  reason: unknown;
  #listeners: (() => void)[] = [];

  get signal(): CancelSignal {
    return this;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}
