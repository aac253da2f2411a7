// Builds the arguments of a call from what was shown and from nothing else: a JSON Schema, a signature, or a group's merged parameters.
import fc from 'fast-check';

const MAX_DEPTH = 12;

/** Arguments for a JSON Schema: what it requires, and the optional parameter that is wanted. */
export function fromSchema(schema, wanted) {
  const properties = schema?.properties ?? {};
  const names = [
    ...(schema?.required ?? []),
    ...(wanted === undefined || !(wanted in properties) ? [] : [wanted]),
  ];
  return Object.fromEntries(names.map((name) => [name, toValue(properties[name] ?? true, schema, 0)]));
}

/** Arguments for one action of a group, by what its parameters say about whom they are for. */
export function fromGroup({ inputSchema }, action, wanted) {
  const actions = inputSchema.properties.action.enum;
  const args = { action };
  for (const [name, property] of Object.entries(inputSchema.properties)) {
    if (name === 'action') continue;
    const use = readUse(property, action, actions);
    const required = inputSchema.required.includes(name) || use.required;
    if (use.schema && (required || name === wanted)) args[name] = toValue(use.schema, inputSchema, 0);
  }
  return args;
}

/** Whether a parameter counts for an action, whether that requires it, and which form it has there. */
function readUse(property, action, actions) {
  const who = readWho(property.description, actions);
  const required = who?.needed.has(action) ?? false;
  const variants = (property.anyOf ?? []).map((each) => [readWho(each.description, actions), each]);
  if (variants.length > 0 && variants.every(([whose]) => whose))
    return { schema: variants.find(([whose]) => whose.all.has(action))?.[1], required };
  return { schema: !who || who.all.has(action) ? property : undefined, required };
}

/** Reads `create*, edit: …`, `all but list: …` and `all, create*: …`; undefined for a text that names no actions. */
function readWho(text = '', actions) {
  const [head] = text.split(': ');
  const [, every, rest] = /^(all\*? but |all, )?(.*)$/s.exec(head);
  const listed = rest.split(', ');
  if (!listed.every((word) => actions.includes(word.replace(/\*$/, '')))) return undefined;
  const names = listed.map((word) => word.replace(/\*$/, ''));
  const starred = listed.filter((word) => word.endsWith('*')).map((word) => word.slice(0, -1));
  if (every === undefined) return { all: new Set(names), needed: new Set(starred) };
  const all = every === 'all, ' ? actions : actions.filter((action) => !names.includes(action));
  return { all: new Set(all), needed: new Set(every.startsWith('all*') ? all : starred) };
}

/** The brackets a text begins with, to where they are closed; undefined when it begins with none. */
export function cutSignature(text) {
  if (!text.startsWith('(')) return undefined;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') quoted = !quoted;
    else if (!quoted && '({['.includes(text[at])) depth += 1;
    else if (!quoted && ')}]'.includes(text[at])) depth -= 1;
    if (depth === 0) return text.slice(0, at + 1);
  }
  return undefined;
}

/** True when a signature tells the type of an optional parameter. */
export function tellsType(signature, name) {
  return [name, JSON.stringify(name)].some((shown) => signature.includes(`${shown}?:`));
}

function toValue(schema, root, depth) {
  if (schema === true || schema === undefined || depth > MAX_DEPTH) return 'text';
  if (schema.$ref !== undefined) return toValue(follow(schema.$ref, root), root, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const { anyOf = schema.oneOf, allOf, oneOf: _same, ...own } = schema;
  if (allOf)
    return toValue(Object.assign({}, own, ...allOf.map((part) => deref(part, root))), root, depth + 1);
  if (anyOf) {
    const chosen = anyOf.map((part) => deref(part, root)).find(({ type }) => type !== 'null') ?? {};
    return toValue({ ...own, ...chosen }, root, depth + 1);
  }
  return toTyped(own, root, depth);
}

function deref(schema, root) {
  return schema?.$ref === undefined ? schema : (follow(schema.$ref, root) ?? {});
}

function follow(pointer, root) {
  const parts = pointer
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '');
  return parts.reduce(
    (at, part) => at?.[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
}

function toTyped(schema, root, depth) {
  const [type] = [schema.type ?? (schema.properties ? 'object' : 'string')]
    .flat()
    .filter((each) => each !== 'null');
  switch (type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, toValue(schema.properties?.[name], root, depth + 1)]),
      );
    case 'array': {
      const fixed = (schema.prefixItems ?? []).map((item) => toValue(item, root, depth + 1));
      const count = Math.max(schema.minItems ?? 1, 1) - fixed.length;
      return [
        ...fixed,
        ...Array.from({ length: Math.max(0, count) }, () => toValue(schema.items, root, depth + 1)),
      ];
    }
    case 'integer':
    case 'number':
      return toNumber(schema);
    case 'boolean':
      return true;
    case undefined:
      return null;
    default:
      return toText(schema);
  }
}

function toNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 }) {
  const low = minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum + multipleOf : undefined);
  const high = maximum ?? (typeof exclusiveMaximum === 'number' ? exclusiveMaximum - multipleOf : undefined);
  if (low !== undefined) return Math.ceil(low / multipleOf) * multipleOf;
  return high === undefined ? multipleOf : Math.min(multipleOf, high);
}

function toText({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }) {
  if (pattern === undefined)
    return 'text'.padEnd(minLength, 'x').slice(0, Math.max(minLength, Math.min(4, maxLength)));
  try {
    const shape = new RegExp(pattern, 'u');
    const samples = fc.sample(fc.stringMatching(shape), { numRuns: 20, seed: 1 });
    const longer = samples
      .filter((text) => text !== '')
      .map((text) => text.repeat(Math.ceil(minLength / text.length)).slice(0, minLength));
    const fits = (text) => text.length >= minLength && text.length <= maxLength && shape.test(text);
    return [...samples, ...longer].find(fits) ?? samples[0];
  } catch {
    // A pattern of another dialect: any text, which the server may refuse.
    return 'text';
  }
}
