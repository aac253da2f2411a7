/** Checks of the machine: Node, room on the disk, the clock, the port. */
import { stat, statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { OLDEST_NODE } from '../../../../model/version.ts';
import type { House } from '../../../house.ts';
import { bad, type Check, type Finding, ok, warn } from '../check.ts';

const MB = 1024 * 1024;
const LITTLE_ROOM = 200 * MB;
const NO_ROOM = 20 * MB;
const EARLIEST = Date.parse('2025-06-01T00:00:00Z');
const CLOCK_SLACK_MS = 3_600_000;
const CONNECT_MS = 1_000;

/** Whether this Node is new enough. */
export const node: Check = {
  about: 'node',
  async look() {
    const { node: version } = process.versions;
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [oldest, oldestMinor] = OLDEST_NODE;
    const isNew = major > oldest || (major === oldest && minor >= oldestMinor);
    if (isNew) return [ok('node', `version ${version}`)];
    return [
      bad('node', `version ${version} is too old`, `install Node ${oldest}.${oldestMinor} or a later one`),
    ];
  },
};

/** Whether there is room for what the home keeps. */
export const disk: Check = {
  about: 'disk',
  async look({ home }) {
    const { bavail, bsize } = await statfs(await findExisting(home));
    const free = bavail * bsize;
    const says = `${Math.floor(free / MB)} MB free where ${home} is`;
    if (free < NO_ROOM) return [bad('disk', says, 'make room on that disk; nothing can be kept until then')];
    if (free < LITTLE_ROOM) return [warn('disk', says, 'make room on that disk soon')];
    return [ok('disk', says)];
  },
};

/** Whether the clock can be right. */
export const clock: Check = {
  about: 'clock',
  async look({ home, now }) {
    const time = now();
    const fix = 'set the clock of this machine; tokens and expiries depend on it';
    if (time.getTime() < EARLIEST) return [bad('clock', `it says ${time.toISOString()}`, fix)];
    const written = await stat(join(home, 'thimble.db')).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (written !== undefined && written > time.getTime() + CLOCK_SLACK_MS) {
      const says = `it says ${time.toISOString()}, but the store was written later than that`;
      return [warn('clock', says, fix)];
    }
    return [ok('clock', time.toISOString())];
  },
};

/** Whether the configured port is free, or taken by ourselves. */
export const port: Check = {
  about: 'port',
  async look(house) {
    const content = await house.config.read().catch(() => undefined);
    // What is wrong with the configuration is said by its own check.
    if (!content) return [];
    const { http } = content.config;
    if (http.port === 0) return [ok('port', 'any free one is taken')];
    const where = `${http.host}:${http.port}`;
    if (!(await isTaken(http))) return [ok('port', `${where} is free`)];
    return [await toTaken(where, http.port, house)];
  },
};

async function toTaken(where: string, number: number, { running }: House): Promise<Finding> {
  const ours = (await running.processes()).find(({ url }) => url?.endsWith(`:${number}`));
  if (ours) return ok('port', `${where} is served by process ${ours.pid} of this home`);
  return warn(
    'port',
    `${where} is taken by another program, or a Thimble of another home`,
    'end that program, or choose another port: thimble config set http.port 7421',
  );
}

function isTaken({ host, port: number }: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: number, timeout: CONNECT_MS });
    const end = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

/** The folder, or the nearest one above it that is there. */
async function findExisting(folder: string): Promise<string> {
  try {
    await stat(folder);
    return folder;
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : findExisting(above);
  }
}
