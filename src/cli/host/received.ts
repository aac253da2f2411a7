/** The one thing a host says to a guest that is not for the guest's client: that something has arrived. */

/** The notification that says so. */
export const RECEIVED = '$/received';

const START = Buffer.from(`{"jsonrpc":"2.0","method":${JSON.stringify(RECEIVED)}`);

/** True for a line that holds it. */
export function isReceipt(line: Buffer): boolean {
  return line.subarray(0, START.length).equals(START);
}

/**
 * Creates what a host does with each line of a guest: it says once a turn that lines have come. That is out before
 * any of them is acted on, so that a guest who has heard nothing at all since it said something can say it again.
 */
export function createReceipts(): (tell: (method: string) => void) => void {
  let isDue = false;
  return (tell) => {
    if (isDue) return;
    isDue = true;
    process.nextTick(() => {
      isDue = false;
      tell(RECEIVED);
    });
  };
}
