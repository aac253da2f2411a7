/** `client edit`: single servers in a client's file, ours and its own. */
import * as z from 'zod';
import type { ClientStatus, Clients } from '../../../clients/clients.ts';
import { findClient } from '../../../clients/known/registry.ts';
import type { ClientEdit } from '../../../clients/steps.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import { toOwnEntry } from '../../files/own-entry.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { checkProfile } from '../../profiles/profile-tags.ts';
import { looksSecret } from '../../secrets/secret-values.ts';
import { findConfigured } from '../../servers/server-entries.ts';
import { toChangeDetails, toShownDiff } from '../../shown/client-change.ts';
import { toName } from '../../shown/quote.ts';
import { openHouseClients } from './house-clients.ts';
import { CLIENT_NAME, members } from './inputs.ts';

const INPUT = z.object({
  name: CLIENT_NAME,
  server: z.string().min(1).max(200).optional().describe('one of its servers'),
  enabled: z.boolean().optional().describe('switch that on or off'),
  url: z.string().min(1).max(2_000).optional().describe('its address'),
  env: members('its variables'),
  headers: members('its headers'),
  add: z.array(z.string().min(1)).max(50).optional().describe('our servers to put in alone'),
  profile: z.string().min(1).max(100).optional().describe('profile'),
  remove: z.array(z.string().min(1)).max(50).optional().describe('servers to take out'),
});

type Input = z.output<typeof INPUT>;

/** Changes single servers. */
export const edit = defineOperation({
  noun: 'client',
  verb: 'edit',
  summary: "change single servers in a client's file",
  input: INPUT,
  output: z.object({ key: z.string(), file: z.string(), changes: z.array(z.string()) }),
  effects: 'acts',
  words: ['name', 'server'],
  formerly: ['manage_client'],
  examples: [
    { name: 'cline', server: 'github', enabled: false },
    { name: 'cursor', add: ['memory'] },
    { name: 'codex', remove: ['github'] },
  ],
  async plan(input, house) {
    const { clients, key, edits } = await toRequest(input, house);
    const change = await clients.previewEdit(key, edits);
    if (change.before === change.after) return undefined;
    return {
      summary: `change the servers of ${key}`,
      details: [...edits.map(toPlanWords), ...toChangeDetails(change)],
      diffs: toShownDiff(change),
    };
  },
  async run(input, house) {
    const { clients, key, edits, changes } = await toRequest(input, house);
    const { path } = await clients.edit(key, edits);
    return { key, file: path, changes: [...changes] };
  },
  toText: ({ key, file, changes }) =>
    `${file}: ${changes.join('; ')}.\nRestart ${key} to see it. Take it back with: thimble client disconnect ${key} --undo`,
});

interface EditRequest {
  readonly clients: Clients;
  readonly key: string;
  readonly edits: readonly ClientEdit[];
  /** Each edit in words, without values. */
  readonly changes: readonly string[];
}

async function toRequest(input: Input, house: House): Promise<EditRequest> {
  const clients = openHouseClients(house);
  const { key } = findClient(input.name);
  const status = await clients.read(key);
  const edits = [
    ...toChange(input, status),
    ...(input.remove ?? []).map((word) => ({ do: 'remove' as const, name: findServer(status, word) })),
    ...(await toAdditions(input, house)),
  ];
  if (edits.length > 0) return { clients, key, edits, changes: edits.map(toWords) };
  throw new GatewayError(
    'INVALID_PARAMS',
    `client edit was told nothing to change in ${key}; give server with enabled, url, env or headers, or give add, remove or profile`,
  );
}

function toChange(
  { server, enabled, url, env, headers }: Input,
  status: ClientStatus,
): readonly ClientEdit[] {
  const isChange = [enabled, url, env, headers].some((part) => part !== undefined);
  if (!isChange) return [];
  if (server === undefined)
    throw new GatewayError(
      'INVALID_PARAMS',
      `client edit: server has to say which server of ${status.key} to change`,
    );
  for (const [name, value] of Object.entries({ ...env, ...headers, ...(url !== undefined && { url }) }))
    refuseSecret(name, value, status);
  return [{ do: 'change', name: findServer(status, server), change: { enabled, url, env, headers } }];
}

/** A client reads its file as it is: a secret would stand there for everybody to read. */
function refuseSecret(name: string, value: string, { path, key }: ClientStatus): void {
  if (!looksSecret(name, value)) return;
  throw new GatewayError(
    'INVALID_PARAMS',
    `the value of ${name.slice(0, 60)} looks like a secret, and ${path} would hold it readable; import the server (thimble client import ${key}), give the value to thimble server edit, which seals it, and connect the client`,
  );
}

async function toAdditions({ add = [], profile }: Input, house: House): Promise<readonly ClientEdit[]> {
  if (add.length === 0 && profile === undefined) return [];
  const content = await house.config.read();
  const put = async (name: string, words: readonly string[]): Promise<ClientEdit> => ({
    do: 'put',
    name,
    entry: { ...(await toOwnEntry(house, words)) },
  });
  if (profile !== undefined) checkProfile(content.config, profile);
  const ids = add.map((word) => findConfigured(content, word).id);
  return Promise.all([
    ...ids.map((id) => put(`thimble-${id}`, ['run', id])),
    ...(profile === undefined ? [] : [put(`thimble-profile-${profile}`, ['stdio', '--profile', profile])]),
  ]);
}

/** A server of a client, by its name there or by what we call it. */
function findServer({ key, servers }: ClientStatus, word: string): string {
  const names = servers.map(({ name }) => name);
  const found = [word, `thimble-${word}`, `thimble-profile-${word}`].find((name) => names.includes(name));
  if (found !== undefined) return found;
  const has = names.length === 0 ? 'it has none' : `it has ${names.slice(0, 8).join(', ').slice(0, 400)}`;
  throw new GatewayError(
    'NAME_UNKNOWN',
    `${key} has no server called "${word.slice(0, 100)}"${didYouMean(word, names)}; ${has}`,
  );
}

/** The same with the values, which are no secrets: those are refused. */
function toPlanWords(one: ClientEdit): string {
  if (one.do !== 'change') return toWords(one);
  const { enabled, url, env, headers } = one.change;
  const values = Object.entries({ ...env, ...headers, ...(url !== undefined && { url }) });
  const parts = [
    ...(enabled === undefined ? [] : [enabled ? 'on' : 'off']),
    ...values.map(([name, value]) =>
      value === '' ? `without ${toName(name)}` : `${toName(name)}=${toName(value)}`,
    ),
  ];
  return `change ${toName(one.name)}: ${parts.join(', ')}`;
}

function toWords(one: ClientEdit): string {
  if (one.do === 'put') return `put in ${toName(one.name)}`;
  if (one.do === 'remove') return `take out ${toName(one.name)}`;
  const { enabled, url, env, headers } = one.change;
  const parts = [
    ...(enabled === undefined ? [] : [enabled ? 'on' : 'off']),
    ...(url === undefined ? [] : ['another address']),
    ...Object.keys({ ...env, ...headers }),
  ];
  return `change ${toName(one.name)}: ${parts.join(', ')}`;
}
