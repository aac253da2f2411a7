/** Switching servers, and single tools of them, on and off: the edits of the configuration that do it. */
import * as z from 'zod';
import { BUILTINS } from '../../../builtin/registry.ts';
import type { ConfigContent, ConfigEdit } from '../../../config/config-file.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { nearest } from '../../../lib/nearest.ts';
import { isJsonObject, type JsonValue } from '../../../model/json.ts';
import { refuseForeignEdits } from '../../files/own-file.ts';
import type { House } from '../../house.ts';
import { type Configured, findConfigured } from '../../servers/server-entries.ts';
import { toShown } from '../../shown/quote.ts';
import { readToolNames } from './tool-names.ts';

/** What somebody wants on or off. */
export interface Switch {
  readonly name: string;
  readonly tool: string | undefined;
  readonly on: boolean;
}

/** The server that is meant, and whether it stands so already. */
export interface Switched {
  readonly server: Configured;
  readonly isSo: boolean;
}

/** What is told of a switch. */
export const SWITCHED = z.object({
  name: z.string(),
  tool: z.string().optional(),
  changed: z.boolean(),
  file: z.string().optional(),
});

/** Switches something, unless it stands so already. */
export async function turn(wanted: Switch, house: House): Promise<z.input<typeof SWITCHED>> {
  const { server, isSo } = await look(wanted, house);
  const about = { name: server.name, ...(wanted.tool !== undefined && { tool: wanted.tool }) };
  return isSo ? { ...about, changed: false } : { ...about, changed: true, file: await flip(wanted, house) };
}

/** Says what became of a switch. */
export function toSwitchText({ name, tool, changed, file }: z.input<typeof SWITCHED>, on: boolean): string {
  const what = tool === undefined ? name : `the tool ${tool} of ${name}`;
  const word = on ? 'on' : 'off';
  return changed ? `${what} is switched ${word}, in ${file}.` : `${what} is ${word} already.`;
}

/** Looks whether anything has to be done; throws NAME_UNKNOWN for a server or tool that is not there. */
export async function look({ name, tool, on }: Switch, house: House): Promise<Switched> {
  const server = findConfigured(await house.config.read(), name);
  if (tool === undefined) return { server, isSo: server.enabled === on };
  const isOff = (server.upstream?.disabledTools ?? []).includes(tool);
  if (!isOff) await checkTool(server, tool, house);
  return { server, isSo: isOff !== on };
}

/** The edits that do it. */
export function toSwitchEdits(content: ConfigContent, { name, tool, on }: Switch): readonly ConfigEdit[] {
  const server = findConfigured(content, name);
  const edits =
    tool === undefined ? toServerEdits(content, server, on) : toToolEdits(content, server, tool, on);
  refuseForeignEdits(content.path, edits);
  return edits;
}

/** Does it; returns the file that was written. */
async function flip(wanted: Switch, house: House): Promise<string> {
  return (await house.config.edit((content) => toSwitchEdits(content, wanted))).path;
}

/** The tool has to be known, so the server has to have been seen; one of ours is simply asked. */
async function checkTool(server: Configured, tool: string, house: House): Promise<void> {
  const { name, id } = server;
  if (!server.upstream)
    throw new GatewayError(
      'UPSTREAM_DISABLED',
      `${name} is switched off, so its tools are not known; switch it on first with thimble server enable ${id}`,
    );
  const known = await readToolNames(server, house);
  if (!known)
    throw new GatewayError(
      'NAME_UNKNOWN',
      `the tools of ${name} are not known yet; see them first with thimble server test ${id}`,
    );
  if (known.includes(tool)) return;
  const near = nearest(tool, known, 3);
  const hint =
    near.length > 0
      ? `did you mean ${near.map((one) => JSON.stringify(one)).join(' or ')}?`
      : `it has ${known.slice(0, 8).join(', ')}${known.length > 8 ? ` and ${known.length - 8} more` : ''}`;
  throw new GatewayError('NAME_UNKNOWN', `${name} has no tool ${toShown(tool)}; ${hint}`);
}

function toServerEdits(
  content: ConfigContent,
  { name, builtin, entry }: Configured,
  on: boolean,
): readonly ConfigEdit[] {
  if (builtin) return toBuiltinEdits(content, name, on, (section) => ({ ...section, enabled: on }));
  const at = ['mcpServers', name];
  // `disabled` is how some clients write it, and counts as much.
  const other = on && entry?.['disabled'] === true ? [{ path: [...at, 'disabled'], value: undefined }] : [];
  const isPlain = on && entry?.['enabled'] === undefined;
  return [...other, ...(isPlain ? [] : [{ path: [...at, 'enabled'], value: on ? undefined : false }])];
}

function toToolEdits(
  content: ConfigContent,
  { name, builtin, upstream }: Configured,
  tool: string,
  on: boolean,
): readonly ConfigEdit[] {
  const before = upstream?.disabledTools ?? [];
  const after = on ? before.filter((one) => one !== tool) : [...new Set([...before, tool])].sort();
  const value = after.length > 0 ? after : undefined;
  if (!builtin) return [{ path: ['mcpServers', name, 'disabledTools'], value }];
  return toBuiltinEdits(content, name, true, ({ disabledTools: _before, ...section }) => ({
    ...section,
    ...(value && { disabledTools: value }),
  }));
}

type Section = Readonly<Record<string, JsonValue | undefined>>;

/** The section of the built-in servers is true, false, or says something of each. */
function toBuiltinEdits(
  { value: { builtin } }: ConfigContent,
  name: string,
  on: boolean,
  change: (section: Section) => Section,
): readonly ConfigEdit[] {
  if (isJsonObject(builtin)) {
    const chosen = builtin[name];
    if (isJsonObject(chosen)) return [{ path: ['builtin', name], value: change(chosen) }];
    return [{ path: ['builtin', name], value: toShort(change({}), on) }];
  }
  const others = builtin === false ? BUILTINS.filter((one) => one.name !== name) : [];
  const off = Object.fromEntries(others.map((one) => [one.name, false]));
  return [{ path: ['builtin'], value: { ...off, [name]: toShort(change({}), on) } }];
}

function toShort(section: Section, on: boolean): JsonValue {
  const { enabled: _enabled, ...rest } = section;
  return Object.keys(rest).length > 0 ? rest : on;
}
