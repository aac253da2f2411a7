/** The page of `check_status` as plain text. */
import { toDuration } from '../../../lib/duration.ts';
import { toMoment } from '../../shown/moment.ts';
import type { Status } from './status.ts';

/** Writes the page. */
export function toPage(status: Status): string {
  const { version, home, configuration, servers } = status;
  const tools = servers.reduce((sum, server) => sum + (server.tools ?? 0), 0);
  return [
    `Thimble ${version}, home ${home}`,
    `Configuration: ${configuration.replaceAll('\n', '\n  ')}`,
    ...toProcesses(status),
    ...toServers(status),
    `Tools: ${tools === 0 ? 'none known until a server is first started' : `${tools} known`}${toSurfaces(status)}`,
    ...toShares(status),
    ...toErrors(status),
    ...status.unread.map((what) => `Could not be read: ${what}`),
    toVerdict(status),
  ].join('\n');
}

function toProcesses({ processes }: Status): string[] {
  if (processes.length === 0)
    return ['Running: nothing; start thimble serve, or let a client start thimble stdio'];
  return processes.map(
    ({ pid, command, url, startedAt }) =>
      `Running: thimble ${command}, process ${pid}${url === undefined ? '' : `, ${url}`}, since ${toMoment(startedAt)}`,
  );
}

/** Those in trouble first, each with what to do; the others by their state. */
function toServers({ servers, ok, unread }: Status): string[] {
  if (servers.length === 0 && !ok && unread.length === 0)
    return ['Servers: not known until the configuration can be used'];
  if (servers.length === 0) return ['Servers: none; find one with thimble server search <what it is for>'];
  const well = servers.filter(({ ok }) => ok);
  const trouble = servers.filter(({ ok }) => !ok);
  const unseen = well.filter(({ seen }) => !seen).map(({ name }) => name);
  const states = [...new Set(well.map(({ state }) => state))].sort();
  return [
    `Servers: ${well.length - unseen.length} of ${servers.length} well${toUnseen(unseen)}`,
    ...trouble.map(({ name, state, says, next }) => `  ${name} (${state}) ${says}; ${next}`),
    ...states.map((state) => {
      const names = well.filter((server) => server.state === state).map(({ name }) => name);
      return `  ${state}: ${names.join(', ')}`;
    }),
  ];
}

function toUnseen(names: readonly string[]): string {
  return names.length === 0 ? '' : `, ${names.length} not known to answer (${names.join(', ')})`;
}

function toSurfaces({ surfaces }: Status): string {
  if (surfaces.length === 0) return '';
  const shown = surfaces.map(({ client, endpoint, tokens }) => `${client} at ${endpoint.trim()} ${tokens}`);
  return `; tokens a list: ${shown.join(', ')}`;
}

function toShares({ shares }: Status): string[] {
  if (shares.length === 0) return [];
  const shown = shares.map(({ name, kind, target, expiresAt }) => {
    const what = name === target ? `the ${kind} ${name}` : `the ${kind} ${target} as ${name}`;
    return `${what} until ${toMoment(expiresAt)}`;
  });
  return [`Shared: ${shown.join(', ')}`];
}

/** What a line above gives as the reason is not told twice. */
function toErrors({ errors, servers }: Status): string[] {
  const told = ({ name, message }: Status['errors'][number]) =>
    servers.some((server) => server.name === name && server.says.includes(message));
  const more = errors.filter((error) => !told(error));
  if (more.length === 0) return [];
  return [
    'Last errors:',
    ...more.map(({ name, message, agoMs }) => `  ${name}, ${toDuration(agoMs)} ago: ${message}`),
  ];
}

function toVerdict({ ok, processes, servers, unread }: Status): string {
  if (ok && processes.length === 0)
    return 'Nothing is wrong as far as can be seen while nothing runs; thimble doctor looks closer.';
  if (ok) return 'All is well.';
  const count = Math.max(1, servers.filter((server) => !server.ok).length + unread.length);
  return `${count} ${count === 1 ? 'thing needs' : 'things need'} attention; thimble doctor looks closer.`;
}
