/** What is answered after an entry was written, whichever verb wrote it. */
import * as z from 'zod';
import type { JsonObject } from '../../../model/json.ts';
import { count, few } from '../../shown/words.ts';
import type { Kept } from './keep-entry.ts';

/** The answer. */
export const KEPT_OUTPUT = z.object({
  name: z.string(),
  file: z.string(),
  /** What it offers; absent when it was not tried. */
  tools: z.array(z.string()).optional(),
  needsLogin: z.boolean().optional(),
});

type KeptOutput = z.input<typeof KEPT_OUTPUT>;

/** Makes the answer. */
export function toKeptOutput(name: string, { path, tools, needsLogin }: Kept): KeptOutput {
  return { name, file: path, ...(tools && { tools: [...tools] }), ...(needsLogin && { needsLogin }) };
}

/** Says in a plan whether it is tried before it is written. */
export function sayTrial(entry: JsonObject, { untested }: { readonly untested: boolean }): readonly string[] {
  if (untested) return ['without trying it first'];
  return [`${'url' in entry ? 'dials' : 'starts'} it once first; writes only if that works`];
}

/** Says it. */
export function sayKept(kept: KeptOutput, done: string): string {
  return `${kept.name} ${done}.\n${saySeen(kept)}\nWritten to ${kept.file}.`;
}

/** Says what came of the trial. */
export function saySeen({ name, tools, needsLogin }: Omit<KeptOutput, 'file'>): string {
  if (tools)
    return `It works: ${count(tools.length, 'tool')}${tools.length > 0 ? ` (${few(tools, 12)})` : ''}.`;
  return needsLogin
    ? `It asks for a login: run thimble login ${name}.`
    : `It was not tried; try it with thimble server test ${name}.`;
}
