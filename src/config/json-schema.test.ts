import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { toConfigJsonSchema } from './json-schema.ts';
import { TEST_PARTS } from './test-parts.ts';

const schema = toConfigJsonSchema(TEST_PARTS);

/** The paths of all properties anywhere in a schema that have no description. */
function undescribed(value: JsonValue | undefined, path = ''): string[] {
  if (Array.isArray(value))
    return value.flatMap((item: JsonValue, index) => undescribed(item, `${path}/${index}`));
  if (!isJsonObject(value)) return [];
  const properties = isJsonObject(value['properties']) ? Object.entries(value['properties']) : [];
  const bare = properties.flatMap(([key, property]) =>
    isJsonObject(property) && property['description'] ? [] : [`${path}/${key}`],
  );
  return [...bare, ...Object.entries(value).flatMap(([key, inner]) => undescribed(inner, `${path}/${key}`))];
}

describe('toConfigJsonSchema', () => {
  it('is of draft 2020-12 and refuses unknown keys', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
    });
    expect(schema['required'] ?? []).toEqual([]);
  });

  it('describes every key', () => {
    expect(undescribed(schema)).toEqual([]);
  });

  it('offers the modes and, for each connector people can use, its options and types', () => {
    expect(schema).toMatchObject({
      properties: {
        exposure: {
          properties: { mode: { enum: ['auto', 'direct', 'search', 'category'], default: 'auto' } },
        },
        mcpServers: {
          additionalProperties: {
            anyOf: [
              { required: ['command'], properties: { type: { enum: ['stdio'] }, tags: {} } },
              { required: ['url'], properties: { headers: {}, era: { default: 'auto' } } },
              { required: ['url'], properties: { type: { enum: ['sse'] } } },
            ],
          },
        },
      },
    });
  });
});
