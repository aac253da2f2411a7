/** Reads what the configuration says of one server, or says everything that is wrong with it. */
import type * as z from 'zod';
import { GatewayError } from '../errors/gateway-error.ts';

/** The options of a server, none without any; wrong ones throw CONFIG_INVALID with every fault by its path. */
export function parseServerOptions<Options extends z.ZodObject>(
  schema: Options,
  name: string,
  options: unknown,
): z.output<Options> {
  const parsed = schema.strict().safeParse(options ?? {});
  if (parsed.success) return parsed.data as z.output<Options>;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw toOptionsError(name, faults.join('; '));
}

/** Options that cannot be used, and why. */
export function toOptionsError(name: string, faults: string): GatewayError {
  return new GatewayError('CONFIG_INVALID', `the options of ${name} cannot be used: ${faults}`);
}
