/** The page of `check_status` as plain text. */
import { toDuration } from '../../../lib/duration.ts';
import type { Status } from './status.ts';

/** Writes the page. */
export function toPage(status: Status): string {
  const { version, home, configuration, servers } = status;
  const tools = servers.reduce((sum, server) => sum + (server.tools ?? 0), 0);
  return [
    `Thimble ${version}, home ${home}`,
    `Configuration: ${configuration}`,
    ...toProcesses(status),
    ...toServers(status),
    `Tools: ${tools} known${toSurfaces(status)}`,
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
      `Running: thimble ${command}, process ${pid}${url === undefined ? '' : `, ${url}`}, since ${startedAt}`,
  );
}

/** Those in trouble first, each with what to do; the others by their state. */
function toServers({ servers }: Status): string[] {
  if (servers.length === 0) return ['Servers: none; find one with thimble server search <what it is for>'];
  const well = servers.filter(({ ok }) => ok);
  const trouble = servers.filter(({ ok }) => !ok);
  const states = [...new Set(well.map(({ state }) => state))].sort();
  return [
    `Servers: ${well.length} of ${servers.length} well`,
    ...trouble.map(({ name, state, says }) => `  ${name} (${state}) ${says}; ${toNext(name, state)}`),
    ...states.map((state) => {
      const names = well.filter((server) => server.state === state).map(({ name }) => name);
      return `  ${state}: ${names.join(', ')}`;
    }),
  ];
}

function toNext(name: string, state: string): string {
  if (state === 'needs_auth') return `log in with thimble login ${name}`;
  if (state === 'awaiting_config') return `give it what it lacks with thimble server edit ${name}`;
  return `see thimble server logs ${name}`;
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
    return `${what} until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  });
  return [`Shared: ${shown.join(', ')}`];
}

function toErrors({ errors }: Status): string[] {
  if (errors.length === 0) return [];
  return [
    'Last errors:',
    ...errors.map(({ name, message, agoMs }) => `  ${name}, ${toDuration(agoMs)} ago: ${message}`),
  ];
}

function toVerdict({ ok, servers, unread }: Status): string {
  if (ok) return 'All is well.';
  const count = Math.max(1, servers.filter((server) => !server.ok).length + unread.length);
  return `${count} ${count === 1 ? 'thing needs' : 'things need'} attention; thimble doctor looks closer.`;
}
