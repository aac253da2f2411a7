/** `config get`: one setting, and whether it was set or is what holds otherwise. */
import * as z from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../model/json.ts';
import { defineOperation } from '../../operation.ts';
import { findConfigured } from '../../servers/server-entries.ts';
import { at, hideDocument, toWords } from '../../shown/documents.ts';
import { findKey, firstOf } from './keys.ts';

const OUTPUT = z.object({
  key: z.string(),
  /** Absent when it is not set and nothing holds otherwise; secrets are left out. */
  value: z.json().optional(),
  /** False when the value is the default. */
  set: z.boolean(),
  description: z.string().optional(),
});

/** Reads a setting. */
export const get = defineOperation({
  noun: 'config',
  verb: 'get',
  summary: 'one setting',
  input: z.object({ key: z.string().min(1).max(500).describe('such as http.port') }),
  output: OUTPUT,
  effects: 'reads',
  words: ['key'],
  formerly: ['manage_config'],
  examples: [{ key: 'http.port' }],
  async run({ key: text }, house) {
    const content = await house.config.read();
    const key = findKey(text, content.value);
    const [section, server] = key.path;
    if (
      section === 'mcpServers' &&
      server !== undefined &&
      at(content.value, [section, server]) === undefined
    )
      findConfigured(content, String(server));
    const written = at(hideDocument(content.value), key.path);
    const value = toEffective(key.nodes, written);
    const description = firstOf(key.nodes, 'description');
    return {
      key: key.text,
      ...(value !== undefined && { value: value as z.input<typeof OUTPUT>['value'] }),
      set: written !== undefined,
      ...(typeof description === 'string' && { description }),
    };
  },
  toText({ key, value, set, description }) {
    const shown = value === undefined ? 'not set' : toWords(value as JsonValue);
    const how = set ? '' : value === undefined ? '' : ' (default)';
    return [`${key}: ${shown}${how}`, ...(description ? [description] : [])].join('\n');
  },
});

/** What is written, filled up with what holds where nothing is. */
function toEffective(nodes: readonly JsonObject[], written: JsonValue | undefined): JsonValue | undefined {
  const whole = written ?? firstOf(nodes, 'default');
  const properties = nodes.find((node) => isJsonObject(node['properties']))?.['properties'];
  const isOneForm = nodes.filter(({ type }) => type !== undefined).length === 1;
  if (!isOneForm || !isJsonObject(properties) || (whole !== undefined && !isJsonObject(whole))) return whole;
  const members = Object.entries(properties).flatMap(([name, node]) => {
    const own = isJsonObject(whole) && Object.hasOwn(whole, name) ? whole[name] : undefined;
    const value = toEffective(isJsonObject(node) ? [node] : [], own);
    return value === undefined ? [] : [[name, value] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : whole;
}
