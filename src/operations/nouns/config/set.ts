/** `config set`: one setting to a value the schema allows. */
import * as z from 'zod';
import type { JsonValue } from '../../../model/json.ts';
import { defineOperation } from '../../operation.ts';
import { forgetUnused } from '../../secrets/forget-secrets.ts';
import { secretNamesIn } from '../../secrets/secret-values.ts';
import { at, hideDocument, toWords } from '../../shown/documents.ts';
import { prepareChange, writeChange } from './change.ts';
import { planChange } from './consent.ts';

const OUTPUT = z.object({
  key: z.string(),
  /** As it may be shown; secrets are left out. */
  value: z.json(),
  file: z.string(),
  changed: z.boolean(),
  /** True when something secret went into the store instead of the file. */
  sealed: z.boolean(),
  /** The file as it was. */
  backup: z.string().optional(),
});

/** Writes a setting. */
export const set = defineOperation({
  noun: 'config',
  verb: 'set',
  summary: 'change a setting',
  input: z.object({
    key: z.string().min(1).max(500).describe('such as http.port'),
    value: z.string().max(100_000).describe('text or JSON'),
  }),
  output: OUTPUT,
  effects: 'acts',
  words: ['key', 'value'],
  formerly: ['manage_config'],
  examples: [{ key: 'http.port', value: '7500' }],
  async plan({ key, value }, house) {
    const change = await prepareChange(house, key, value);
    return planChange('set', change, house);
  },
  async run({ key, value }, house) {
    const change = await prepareChange(house, key, value);
    const { path, text } = change.key;
    const backup = await writeChange(house, change);
    await forgetUnused(secretNamesIn(change.before), house);
    const before = JSON.stringify(at(change.before, path));
    return {
      key: text,
      value: (at(hideDocument(change.after), path) ?? null) as z.input<typeof OUTPUT>['value'],
      file: change.file,
      changed: before !== JSON.stringify(at(change.after, path)),
      sealed: change.secrets !== undefined,
      ...(backup !== undefined && { backup }),
    };
  },
  toText({ key, value, file, changed, sealed, backup }) {
    const what = `${key} is ${toWords(value as JsonValue)} in ${file}.`;
    if (!changed) return `Nothing to do: ${what}`;
    return [
      sealed ? `${what} What is secret in it is sealed in the store; the file refers to it.` : what,
      ...(backup === undefined ? [] : [`The file as it was: ${backup}`]),
    ].join('\n');
  },
});
