/** `client connect`: one entry for Thimble in a client's file, in the place of its other servers if wished. */
import * as z from 'zod';
import type { ClientFileChange, ClientStatus, Clients } from '../../../clients/clients.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { MODES } from '../../../exposure/registry.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import type { JsonObject } from '../../../model/json.ts';
import { ensureConfiguration } from '../../files/ensure-configuration.ts';
import { toOwnEntry } from '../../files/own-entry.ts';
import type { House } from '../../house.ts';
import { GATHERED } from '../../intake/gather-once.ts';
import { carryOutIntake, describeIntake } from '../../intake/intake.ts';
import { defineOperation } from '../../operation.ts';
import { checkProfile } from '../../profiles/profile-tags.ts';
import { toChangeDetails, toShownDiff } from '../../shown/client-change.ts';
import { count } from '../../shown/words.ts';
import { findNamed, isOwnConfiguration, openHouseClients } from './house-clients.ts';
import { type ImportPlan, planImport } from './import-servers.ts';
import { CLIENT_NAME } from './inputs.ts';
import { sayUndo, toImportDetails, toImportLine } from './words.ts';

const INPUT = z.object({
  name: CLIENT_NAME,
  replace: z.boolean().default(false).describe('import its servers and take them out of it'),
  profile: z.string().min(1).max(100).optional().describe('profile'),
  mode: z.string().min(1).max(50).optional().describe('exposure mode'),
});

const CONNECTED = z.object({
  key: z.string(),
  file: z.string(),
  /** Servers that were taken out; a disconnect puts them back. */
  taken: z.array(z.string()),
  problem: z.string().optional(),
});

/** Connects clients. */
export const connect = defineOperation({
  noun: 'client',
  verb: 'connect',
  summary: 'put Thimble into clients',
  input: INPUT,
  output: z.object({ clients: z.array(CONNECTED), imported: z.array(GATHERED) }),
  effects: 'acts',
  words: ['name'],
  examples: [{ name: 'cursor' }, { name: 'all', replace: true }, { name: 'codex', profile: 'work' }],
  async plan(input, house) {
    const request = await toRequest(input, house);
    const changes = await Promise.all(request.targets.map((target) => previewOne(request, target)));
    const changed = changes.filter(({ before, after }) => before !== after);
    const { imports } = request;
    if (changed.length === 0 && !imports?.entries.size) return undefined;
    return {
      summary: `connect ${request.targets.map(({ title }) => title).join(', ')} to Thimble`,
      details: [
        ...(imports ? [...toImportDetails(imports), ...(await describeIntake(house, imports.intake))] : []),
        ...request.refused.map(({ key, problem }) => `${key} is left out: ${problem}`),
        ...changed.flatMap(toChangeDetails),
        `A copy of each file is kept. ${sayUndo(changed.map(({ key }) => key))}`,
      ],
      diffs: changed.flatMap(toShownDiff),
    };
  },
  async run(input, house) {
    const request = await toRequest(input, house);
    if (request.imports) await carryOutIntake(house, request.imports.intake);
    await ensureConfiguration(house);
    const done: z.input<typeof CONNECTED>[] = [];
    for (const target of request.targets) done.push(await connectOne(request, target));
    const failed = done.find(({ problem }) => problem !== undefined);
    if (failed && done.every(({ problem }) => problem !== undefined))
      throw new GatewayError('FILE_REFUSED', failed.problem ?? '', { data: { file: failed.file } });
    const refused = request.refused.map(({ key, path, problem }) => ({
      key,
      file: path,
      taken: [],
      problem,
    }));
    return { clients: [...done, ...refused], imported: [...(request.imports?.gathered ?? [])] };
  },
  succeeded: ({ clients }) => clients.every(({ problem }) => problem === undefined),
  toText({ clients, imported }) {
    const lines = clients.map(({ key, file, taken, problem }) => {
      if (problem !== undefined) return `${key} was left out: ${problem}`;
      const without = taken.length > 0 ? `; taken out: ${taken.join(', ')}` : '';
      return `${key}: connected in ${file}${without}`;
    });
    const added = imported.filter(({ result }) => result === 'new');
    return [
      ...lines,
      ...(added.length > 0
        ? [`Imported ${count(added.length, 'server')}: ${added.map(({ as }) => as).join(', ')}`]
        : []),
      ...imported.filter(({ result, leftOut }) => result === 'skipped' || leftOut).map(toImportLine),
      `Restart the client to see it. ${sayUndo(toKeys(clients))}`,
    ].join('\n');
  },
});

/** Those that were connected. */
function toKeys(clients: readonly z.input<typeof CONNECTED>[]): readonly string[] {
  return clients.flatMap(({ key, problem }) => (problem === undefined ? [key] : []));
}

/** What is asked for, worked out. */
interface ConnectRequest {
  readonly clients: Clients;
  readonly targets: readonly ClientStatus[];
  /** Clients among all that cannot be connected as they are. */
  readonly refused: readonly ClientStatus[];
  readonly entry: JsonObject;
  /** Undefined when the servers of the clients stay where they are. */
  readonly imports: ImportPlan | undefined;
}

async function toRequest(
  { name, replace, profile, mode }: z.output<typeof INPUT>,
  house: House,
): Promise<ConnectRequest> {
  if (mode !== undefined) checkMode(mode);
  if (profile !== undefined) checkProfile((await house.config.read()).config, profile);
  const clients = openHouseClients(house);
  const named = await findNamed(clients, name);
  const readable = named.filter(({ problem }) => problem === undefined);
  for (const target of readable) await refuseOwn(target, house);
  const words = [
    'stdio',
    ...(mode === undefined ? [] : ['--mode', mode]),
    ...(profile === undefined ? [] : ['--profile', profile]),
  ];
  const entry = { ...(await toOwnEntry(house, words)) };
  const gather = async (targets: readonly ClientStatus[]) =>
    replace ? planImport(targets, house) : undefined;
  const request = { clients, targets: readable, refused: [], entry, imports: await gather(readable) };
  const looked = await Promise.all(readable.map((target) => findProblem(request, target, named.length > 1)));
  const targets = looked.filter(({ problem }) => problem === undefined);
  const refused = [...named, ...looked].filter(({ problem }) => problem !== undefined);
  const imports = targets.length === readable.length ? request.imports : await gather(targets);
  return { ...request, targets, refused, imports };
}

/** A file that cannot be changed is left out among others; alone it is an error. */
async function findProblem(
  request: ConnectRequest,
  target: ClientStatus,
  isOneOfMany: boolean,
): Promise<ClientStatus> {
  try {
    await previewOne(request, target);
    return target;
  } catch (error) {
    if (!isOneOfMany || !(error instanceof GatewayError)) throw error;
    return { ...target, problem: error.message };
  }
}

/** The servers of a client that the configuration has, or is going to have. */
function toTake({ imports }: ConnectRequest, { key }: ClientStatus): readonly string[] {
  return (imports?.gathered ?? [])
    .filter(({ client, result }) => client === key && result !== 'skipped')
    .map(({ server }) => server);
}

function previewOne(request: ConnectRequest, target: ClientStatus): Promise<ClientFileChange> {
  return request.clients.previewConnect(target.key, request.entry, { take: toTake(request, target) });
}

async function connectOne(request: ConnectRequest, target: ClientStatus): Promise<z.input<typeof CONNECTED>> {
  const about = { key: target.key, file: target.path };
  const taken = [...toTake(request, target)];
  try {
    await request.clients.connect(target.key, request.entry, { take: taken });
    return { ...about, taken };
  } catch (error) {
    // One file that cannot be written is no reason to leave the others.
    if (!(error instanceof GatewayError)) throw error;
    return { ...about, taken: [], problem: error.message };
  }
}

async function refuseOwn({ title, path }: ClientStatus, house: House): Promise<void> {
  if (!(await isOwnConfiguration(path, house))) return;
  throw new GatewayError(
    'FILE_REFUSED',
    `${path} is the configuration that Thimble itself reads here, so ${title} cannot be pointed from it to Thimble; run thimble config migrate first, or stand in another directory`,
    { data: { file: path } },
  );
}

function checkMode(mode: string): void {
  const names = MODES.map(({ name }) => name);
  if (names.includes(mode)) return;
  throw new GatewayError(
    'NAME_UNKNOWN',
    `no mode is called "${mode}"${didYouMean(mode, names)}; there are ${names.join(', ')}`,
  );
}
