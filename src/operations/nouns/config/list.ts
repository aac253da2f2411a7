/** `config list`: what is set, or every setting there is. */
import * as z from 'zod';
import type { JsonValue } from '../../../model/json.ts';
import { defineOperation } from '../../operation.ts';
import { hideDocument, toLeaves, toWords } from '../../shown/documents.ts';
import { listKeys } from './keys.ts';

const OUTPUT = z.object({
  /** The file in use, or where it would be. */
  file: z.string(),
  exists: z.boolean(),
  settings: z.array(
    z.object({
      key: z.string(),
      value: z.json().optional(),
      set: z.boolean(),
      description: z.string().optional(),
    }),
  ),
});

type Setting = z.input<typeof OUTPUT>['settings'][number];

/** Lists settings. */
export const list = defineOperation({
  noun: 'config',
  verb: 'list',
  summary: 'what is set, or all there is',
  input: z.object({ all: z.boolean().default(false).describe('defaults too') }),
  output: OUTPUT,
  effects: 'reads',
  formerly: ['manage_config'],
  examples: [{}, { all: true }],
  async run({ all }, house) {
    const { path, text, value } = await house.config.read();
    const settings: Setting[] = toLeaves(hideDocument(value)).map((leaf) => ({
      key: leaf.key,
      value: leaf.value as NonNullable<Setting['value']>,
      set: true,
    }));
    if (all) settings.push(...toUnset(new Set(settings.map(({ key }) => key))));
    return { file: path, exists: text !== undefined, settings };
  },
  toText({ file, exists, settings }) {
    const head = exists ? `In ${file}:` : `There is no configuration yet; it would be ${file}.`;
    const more =
      settings.length === 0 ? ['Nothing is set; thimble config list --all shows what could be.'] : [];
    return [head, ...settings.map(toLine), ...more].join('\n');
  },
});

function toUnset(set: ReadonlySet<string>): readonly Setting[] {
  return listKeys()
    .filter(({ text }) => !set.has(text))
    .map(({ text, description, default: value }) => ({
      key: text,
      ...(value !== undefined && { value: value as NonNullable<Setting['value']> }),
      set: false,
      ...(description !== undefined && { description }),
    }));
}

function toLine({ key, value, set, description }: Setting): string {
  const shown = value === undefined ? '' : ` = ${toWords(value as JsonValue)}`;
  const mark = set || value === undefined ? '' : ' (default)';
  return `${key}${shown}${mark}${description === undefined ? '' : `: ${description}`}`;
}
