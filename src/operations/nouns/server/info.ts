/** `server info`: all there is to know of one server, configured or in the registry. */
import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { readHide } from '../../secrets/kept-values.ts';
import { HIDDEN, hideSecrets } from '../../secrets/secret-values.ts';
import { readManifests } from '../../servers/known-manifests.ts';
import {
  type Configured,
  isNearConfigured,
  matchConfigured,
  toUnknown,
} from '../../servers/server-entries.ts';
import { HIDDEN_MARK, toLine } from '../../shown/command-line.ts';
import { toReach } from '../../shown/describe-entry.ts';
import { few } from '../../shown/words.ts';
import { findServer } from './find-server.ts';
import { NAME } from './inputs.ts';
import { readStates } from './list.ts';
import { type Recipe, toRecipes } from './recipe.ts';
import type { RegistryServer } from './registry/server-json.ts';
import { readToolNames } from './tool-names.ts';

const NEED = z.object({
  name: z.string(),
  description: z.string(),
  required: z.boolean(),
  secret: z.boolean(),
});

const OUTPUT = z.object({
  name: z.string(),
  configured: z.boolean(),
  id: z.string().optional(),
  kind: z.string().optional(),
  enabled: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  /** The entry, secrets left out. */
  entry: z.record(z.string(), z.unknown()).optional(),
  /** How it stands, where something runs it. */
  state: z.string().optional(),
  version: z.string().optional(),
  tools: z.array(z.string()).optional(),
  toolsOff: z.array(z.string()).optional(),
  description: z.string().optional(),
  repository: z.string().optional(),
  /** The ways in which it can be installed. */
  offers: z.array(z.object({ kind: z.string(), runs: z.string(), needs: z.array(NEED) })).optional(),
  note: z.string().optional(),
});

type Info = z.input<typeof OUTPUT>;

/** Tells about one server. */
export const info = defineOperation({
  noun: 'server',
  verb: 'info',
  summary: 'one server in full, configured or in the registry',
  input: z.object({ name: NAME }),
  output: OUTPUT,
  effects: 'reads',
  openWorld: true,
  words: ['name'],
  short: 'info',
  formerly: ['server_info'],
  examples: [{ name: 'memory' }, { name: 'io.github.example/weather' }],
  async run({ name }, house) {
    const content = await house.config.read();
    const found = matchConfigured(content, name);
    if (found) return describeConfigured(found, house);
    try {
      return await describeOffered(name, house);
    } catch (error) {
      // A slip in the name of a configured server is not a matter of the registry.
      if (isNearConfigured(content, name)) throw toUnknown(content, name);
      throw error;
    }
  },
  toText: (output) => (output.configured ? sayConfigured(output) : sayOffered(output)),
});

async function describeConfigured(found: Configured, house: House): Promise<Info> {
  const { id, name, kind, enabled, tags, entry, upstream } = found;
  const manifests = upstream ? await readManifests({ upstreams: [upstream] }, house) : new Map();
  const state = (await readStates(house)).get(id);
  const tools = await readToolNames(found, house);
  const version = manifests.get(id)?.hello.serverInfo.version;
  return {
    ...{ name, configured: true, id, kind, enabled, tags: [...tags] },
    ...(entry && { entry: hideSecrets(entry) }),
    ...(state && { state: (await readHide(house))(state.says) }),
    ...(version && { version }),
    ...(tools && { tools: [...tools] }),
    ...(upstream?.disabledTools && { toolsOff: [...upstream.disabledTools] }),
  };
}

async function describeOffered(word: string, house: House): Promise<Info> {
  const { value, note } = await findServer(word, house);
  const deprecated = value.status === 'deprecated' ? 'its publisher calls it deprecated' : undefined;
  const notes = [deprecated, note].filter((one) => one !== undefined).join('; ');
  return {
    name: value.name,
    configured: false,
    version: value.version,
    description: toLine(value.description, 500),
    ...(value.repository && { repository: toLine(value.repository) }),
    offers: toOffers(value),
    ...(notes !== '' && { note: notes }),
  };
}

function toOffers(server: RegistryServer): NonNullable<Info['offers']> {
  return toRecipes(server).map((recipe) => ({
    kind: recipe.kind,
    runs: toLine(recipe.target),
    needs: toNeeds(recipe),
  }));
}

function toNeeds({ variables, runtimeArguments, packageArguments }: Recipe): z.input<typeof NEED>[] {
  const args = [...runtimeArguments, ...packageArguments].map((argument) => ({
    ...argument,
    name: (argument.type === 'named' ? argument.name?.replace(/^-+/, '') : argument.valueHint) ?? 'argument',
  }));
  return [...variables, ...args]
    .filter(({ value }) => value === undefined)
    .map(({ name, description = '', isRequired, isSecret, default: preset }) => ({
      name,
      description: toLine(description, 200),
      required: isRequired && preset === undefined,
      secret: isSecret,
    }));
}

function sayConfigured({ name, id, kind, enabled, tags = [], entry, state, version, ...rest }: Info): string {
  const { tools, toolsOff = [] } = rest;
  const lines = [
    `${name}${id === name ? '' : ` (id ${id})`}: ${kind}, ${enabled ? 'on' : 'off'}${version ? `, version ${version}` : ''}`,
    entry && toReachText(entry as JsonObject),
    entry && toMembers('variables', (entry as JsonObject)['env']),
    entry && toMembers('headers', (entry as JsonObject)['headers']),
    tags.length > 0 && `profiles: ${tags.join(', ')}`,
    state && `it ${state}`,
    tools ? `tools: ${few(tools, 60)}` : 'tools: not seen yet; try it with thimble server test',
    toolsOff.length > 0 && `switched off: ${toolsOff.join(', ')}`,
  ];
  return lines.filter(Boolean).join('\n');
}

function toReachText(entry: JsonObject): string | undefined {
  // In a listing what is hidden may look like itself; in a plan it may not.
  const marked = JSON.stringify(entry).replaceAll(HIDDEN, HIDDEN_MARK);
  const reach = toReach(JSON.parse(marked) as JsonObject);
  return reach && `${typeof entry['url'] === 'string' ? 'at' : 'runs'} ${reach}`;
}

function toMembers(what: string, members: JsonObject[string]): string | undefined {
  if (!isJsonObject(members) || Object.keys(members).length === 0) return undefined;
  const each = Object.entries(members).map(([name, value]) => `${name}=${String(value)}`);
  return `${what}: ${each.join(', ')}`;
}

function sayOffered({ name, version, description, repository, offers = [], note }: Info): string {
  const ways = offers.flatMap(({ kind, runs, needs }) => [
    `- ${kind}: ${runs}`,
    ...needs.map((need) => {
      const marks = [need.required ? 'required' : 'optional', need.secret && 'secret'].filter(Boolean);
      return `    ${need.name} (${marks.join(', ')}) ${need.description}`.trimEnd();
    }),
  ]);
  const lines = [
    `${name} ${version}, in the registry, not installed`,
    description,
    repository,
    offers.length > 0 ? 'ways to run it:' : 'it offers no way to run it that is known here',
    ...ways,
    note && `note: ${note}`,
    offers.length > 0 && `install it with: thimble install ${name}`,
  ];
  return lines.filter(Boolean).join('\n');
}
