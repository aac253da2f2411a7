/** Turns what the file system refuses into an error that names the file and what to do. */
import { GatewayError } from './gateway-error.ts';

/** Does something with a file; a failure of the file system throws FILE_REFUSED, anything else stays as it is. */
export async function refusing<Result>(
  path: string,
  done: 'read' | 'written',
  act: () => Promise<Result>,
  wayOut = 'choose another file',
): Promise<Result> {
  try {
    return await act();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    // Those of ours have codes as well, and say themselves what is wrong.
    if (cause instanceof GatewayError || !/^E[A-Z0-9]+$/.test(code)) throw cause;
    throw new GatewayError(
      'FILE_REFUSED',
      `${path} cannot be ${done} (${code}); check what it is and who may change it, or ${wayOut}`,
      { cause, data: { file: path } },
    );
  }
}
