/** Checks of AI clients: whether those that are connected to Thimble would start one that is there. */
import { stat } from 'node:fs/promises';
import { type ClientStatus, openClients } from '../../../../clients/clients.ts';
import { startsThimble } from '../../../../config/own-program.ts';
import type { JsonObject } from '../../../../model/json.ts';
import type { House } from '../../../house.ts';
import { findProgram } from '../../../servers/find-program.ts';
import { bad, type Check, type Finding, ok, warn } from '../check.ts';

/** Whether what stands in clients' files works. */
export const clients: Check = {
  about: 'clients',
  async look(house) {
    const all = (await openClients(house).list()).filter(({ found }) => found);
    const findings = (await Promise.all(all.map((client) => lookAt(client, house)))).flat();
    if (findings.length > 0) return findings;
    if (all.length === 0) return [ok('clients', 'none is on this machine')];
    const keys = all.map(({ key }) => key).join(', ');
    return [
      warn('clients', `${keys} found, none connected`, 'connect one with thimble client connect <client>'),
    ];
  },
};

async function lookAt(client: ClientStatus, house: House): Promise<readonly Finding[]> {
  const about = `client ${client.key}`;
  if (client.problem !== undefined)
    return [bad(about, client.problem, `correct ${client.path}; Thimble leaves it alone until then`)];
  const entries = client.servers.flatMap(({ name, entry }) =>
    entry && startsThimble(entry) ? [{ name, entry }] : [],
  );
  const findings = await Promise.all(entries.map(({ entry }) => lookAtEntry(about, client, entry, house)));
  return findings;
}

async function lookAtEntry(
  about: string,
  { key, path }: ClientStatus,
  { command, args }: JsonObject,
  { env, cwd, machine }: House,
): Promise<Finding> {
  const words = Array.isArray(args) ? args.map(String) : [];
  const places = { path: env['PATH'], endings: env['PATHEXT'], cwd, platform: machine.platform };
  const fix = `write its entry anew: thimble client connect ${key}`;
  if (!(await findProgram(String(command), places)))
    return bad(about, `starts "${String(command).slice(0, 200)}", which is not to be found`, fix);
  for (const file of toFiles(words)) {
    if (!(await stat(file).catch(() => undefined)))
      return bad(about, `starts Thimble with ${file}, which is not there`, fix);
  }
  return ok(about, `connected by ${path}`);
}

/** The files an entry names: our program where Node is what starts it, and its configuration. */
function toFiles(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--config');
  const config = at === -1 ? [] : words.slice(at + 1, at + 2);
  return [...words.filter((word) => /[\\/]dist[\\/]main\.js$/.test(word)), ...config];
}
