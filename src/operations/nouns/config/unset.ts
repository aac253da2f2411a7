/** `config unset`: back to what holds when nothing is set. */
import * as z from 'zod';
import type { JsonValue } from '../../../model/json.ts';
import { defineOperation } from '../../operation.ts';
import { forgetUnused } from '../../secrets/forget-secrets.ts';
import { secretNamesIn } from '../../secrets/secret-values.ts';
import { at, toWords } from '../../shown/documents.ts';
import { prepareChange, writeChange } from './change.ts';
import { planChange } from './consent.ts';
import { firstOf } from './keys.ts';

const OUTPUT = z.object({
  key: z.string(),
  file: z.string(),
  /** False when it was not set. */
  changed: z.boolean(),
  /** What holds now. */
  default: z.json().optional(),
  /** The file as it was. */
  backup: z.string().optional(),
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
    return planChange('unset', change, house);
  },
  async run({ key }, house) {
    const change = await prepareChange(house, key, undefined);
    const { path, text, nodes } = change.key;
    const changed = at(change.before, path) !== undefined;
    const backup = changed ? await writeChange(house, change) : undefined;
    if (changed) await forgetUnused(secretNamesIn(change.before), house);
    const otherwise = firstOf(nodes, 'default');
    return {
      key: text,
      file: change.file,
      changed,
      ...(backup !== undefined && { backup }),
      ...(otherwise !== undefined && {
        default: otherwise as NonNullable<z.input<typeof OUTPUT>['default']>,
      }),
    };
  },
  toText({ key, file, changed, default: value, backup }) {
    const now = value === undefined ? '' : `; now ${toWords(value as JsonValue)} holds`;
    if (!changed) return `${key} was not set in ${file}${now}.`;
    const copy = backup === undefined ? [] : [`The file as it was: ${backup}`];
    return [`${key} is taken out of ${file}${now}.`, ...copy].join('\n');
  },
});
