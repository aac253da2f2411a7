/** `config unset`: back to what holds when nothing is set. */
import * as z from 'zod';
import type { JsonValue } from '../../model/json.ts';
import { defineOperation } from '../operation.ts';
import { prepareChange, writeChange } from './change.ts';
import { needsPerson } from './consent.ts';
import { at, toChangeLines, toWords } from './documents.ts';
import { forgetUnused } from './draft-secrets.ts';
import { firstOf } from './keys.ts';

const OUTPUT = z.object({
  key: z.string(),
  file: z.string(),
  /** False when it was not set. */
  changed: z.boolean(),
  /** What holds now. */
  default: z.json().optional(),
});

/** Takes a setting away. */
export const unset = defineOperation({
  noun: 'config',
  verb: 'unset',
  summary: 'back to the default',
  input: z.object({ key: z.string().min(1).max(500).describe('such as http.port') }),
  output: OUTPUT,
  effects: 'acts',
  destructive: true,
  words: ['key'],
  examples: [{ key: 'http.port' }],
  async plan({ key }, house) {
    const change = await prepareChange(house, key, undefined);
    if (!needsPerson(change.key.path, undefined)) return undefined;
    const details = toChangeLines(change.file, change.before, change.after);
    return details.length > 0 ? { summary: `unset ${change.key.text}`, details } : undefined;
  },
  async run({ key }, house) {
    const change = await prepareChange(house, key, undefined);
    const { path, text, nodes } = change.key;
    const changed = at(change.before, path) !== undefined;
    if (changed) {
      await writeChange(house, change);
      await forgetUnused(change.before, change.after, () => house.secrets());
    }
    const otherwise = firstOf(nodes, 'default');
    return {
      key: text,
      file: change.file,
      changed,
      ...(otherwise !== undefined && {
        default: otherwise as NonNullable<z.input<typeof OUTPUT>['default']>,
      }),
    };
  },
  toText({ key, file, changed, default: value }) {
    const now = value === undefined ? '' : `; now ${toWords(value as JsonValue)} holds`;
    return changed ? `${key} is taken out of ${file}${now}.` : `${key} was not set in ${file}${now}.`;
  },
});
