/** Takes the servers of clients into the configuration: each once, checked, its secrets sealed. */
import type { ClientStatus } from '../../../clients/clients.ts';
import type { JsonPath } from '../../../config/jsonc.ts';
import type { House } from '../../house.ts';
import { type Gathering, gatherOnce } from '../../intake/gather-once.ts';
import { type Intake, prepareIntake } from '../../intake/intake.ts';
import { sealSection } from '../../secrets/draft-secrets.ts';

/** What an import comes to, before anything is written. */
export interface ImportPlan extends Gathering {
  readonly intake: Intake;
}

/** Works out an import; writes nothing. */
export async function planImport(clients: readonly ClientStatus[], house: House): Promise<ImportPlan> {
  let gathering: Gathering = { gathered: [], entries: new Map() };
  const intake = await prepareIntake(house, async ({ value }, secrets) => {
    gathering = await gatherOnce(clients, value, house);
    const sealed = await sealSection(Object.fromEntries(gathering.entries), secrets);
    return Object.entries(sealed).map(([name, entry]) => ({ path: ['mcpServers', name], value: entry }));
  });
  return { ...gathering, intake: { ...intake, reliesOn: toKnown(gathering) } };
}

/** Where the servers stand that need not be taken in, because the configuration has them. */
function toKnown({ gathered, entries }: Gathering): readonly JsonPath[] {
  const names = gathered.flatMap(({ result, as }) => (result === 'known' && as !== undefined ? [as] : []));
  return [...new Set(names)].filter((name) => !entries.has(name)).map((name) => ['mcpServers', name]);
}
