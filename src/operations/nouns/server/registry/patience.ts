/** Tells a person that a registry is being waited for, once, and only when it takes long. */

/** How long nobody minds. */
const PATIENCE_MS = 1_000;

/** Carries out what may take long. */
export type Patiently = <T>(act: () => Promise<T>) => Promise<T>;

/** Creates the way to wait for one registry. */
export function createPatience(tell: () => void, patienceMs = PATIENCE_MS): Patiently {
  let isTold = false;
  return async (act) => {
    const timer = setTimeout(() => {
      if (!isTold) tell();
      isTold = true;
    }, patienceMs);
    try {
      return await act();
    } finally {
      clearTimeout(timer);
    }
  };
}
