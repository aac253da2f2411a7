/** The tool that deletes files. */
import * as z from 'zod';
import { defineTool, REPLACES } from '../../builtin.ts';
import { toSizeText } from '../../size.ts';
import type { Storage } from '../context.ts';

/** Deletes a file for good. */
export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete a file',
  description: 'Delete a stored file for good',
  input: z.object({ key: z.string().max(100) }),
  output: z.object({ key: z.string(), freed_bytes: z.int() }),
  annotations: REPLACES,
  async run({ key }, { principal, files }: Storage) {
    const { size } = await files.delete(principal, key);
    return { key, freed_bytes: size };
  },
  toText: ({ key, freed_bytes }) => `Deleted ${key} (${toSizeText(freed_bytes)}).`,
});
