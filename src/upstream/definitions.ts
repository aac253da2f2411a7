/** Makes listed definitions safe to show: a client refuses a whole list for one malformed entry in it. */
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { KindRow } from '../model/kinds.ts';
import type { Definition } from '../model/mcp.ts';

type Check = (value: JsonValue | undefined) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isList: Check = (value) => Array.isArray(value) && value.every(isJsonObject);

/** Members that clients check, and what each must be; all are optional. */
const OPTIONAL: Readonly<Record<string, Check>> = {
  title: isText,
  description: isText,
  mimeType: isText,
  annotations: isJsonObject,
  outputSchema: isJsonObject,
  execution: isJsonObject,
  icons: isList,
  arguments: (value) =>
    isList(value) && (value as readonly JsonObject[]).every((each) => isText(each['name'])),
  _meta: isJsonObject,
};

/** A definition as clients accept it, or undefined when there is no saving it; remarks say what was done. */
export function toSafeDefinition(
  definition: Definition,
  row: KindRow,
  remarks: string[],
): Definition | undefined {
  const id = JSON.stringify(definition[row.idKey]);
  const wrong = Object.keys(OPTIONAL).filter((key) => key in definition && !OPTIONAL[key]?.(definition[key]));
  if (wrong.length > 0)
    remarks.push(`${row.listMethod}: ${id} has a malformed ${wrong.join(', ')}, which is left out`);
  const kept = wrong.length === 0 ? definition : without(definition, wrong);
  if (row.idKey !== 'name') return isText(kept['name']) ? kept : { ...kept, name: kept[row.idKey] };
  return row.capability === 'tools' ? toSafeTool(kept, id, remarks) : kept;
}

function toSafeTool(tool: Definition, id: string, remarks: string[]): Definition | undefined {
  const schema = tool['inputSchema'];
  if (isJsonObject(schema) && schema['type'] === 'object') return tool;
  if (schema === undefined || (isJsonObject(schema) && schema['type'] === undefined)) {
    remarks.push(`tools/list: ${id} does not say that its input is an object, which is taken for granted`);
    return { ...tool, inputSchema: { ...schema, type: 'object' } };
  }
  remarks.push(`tools/list: ${id} is left out: its inputSchema is not that of an object`);
  return undefined;
}

function without(definition: Definition, keys: readonly string[]): Definition {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => !keys.includes(key)));
}
