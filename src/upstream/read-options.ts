/** Reads a connector's options by its own schema. */
import * as z from 'zod';
import { GatewayError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';

/** The options every connector that receives bytes has. */
export const maxMessageBytes: z.ZodOptional<z.ZodNumber> = z
  .number()
  .int()
  .min(1024)
  .optional()
  .describe('the largest message accepted from the server, in bytes; 16 MiB unless told');

/** Parses options; throws CONFIG_INVALID naming each wrong key, never a value. */
export function readOptions<Schema extends z.ZodObject>(
  schema: Schema,
  options: JsonObject,
): z.infer<Schema> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
  throw new GatewayError('CONFIG_INVALID', `its options cannot be used: ${faults.join('; ')}`);
}
