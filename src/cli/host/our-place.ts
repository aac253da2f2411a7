/** The meeting place of this setting: those who would start the very same servers meet there, nobody else. */
import { join } from 'node:path';
import { INHERITED } from '../../config/environment.ts';
import { FIXED } from '../../config/follow.ts';
import { toReferences } from '../../config/references.ts';
import { VERSION } from '../../model/version.ts';
import { MARK_VARIABLE } from '../../upstream/connectors/stdio/marks.ts';
import type { CommandPorts } from '../command.ts';
import { openSharedStore } from '../door/running.ts';
import type { Setting } from '../gateway/configured-gateway.ts';
import { type MeetingPlace, openMeetingPlace } from './meeting-place.ts';

/** Differs from client to client, or from start to start, and matters to no server. */
const IGNORED: ReadonlySet<string> = new Set(['LOGNAME', 'SHELL', 'TERM', MARK_VARIABLE]);

/** Opens the place; undefined when the store is not a file that others could open too. */
export async function openOurPlace(
  setting: Setting,
  ports: CommandPorts,
): Promise<(MeetingPlace & AsyncDisposable) | undefined> {
  const { home, device, loaded } = setting;
  const store = await openSharedStore(join(home, 'thimble.db'), ports.env);
  if (!store) return undefined;
  const names = [...INHERITED, ...loaded.config.upstreams.flatMap(({ options }) => toReferences(options))];
  const ours = Object.keys(ports.env).filter((name) => name.startsWith('THIMBLE_'));
  const variables = [...new Set([...names, ...ours])].filter((name) => !IGNORED.has(name)).sort();
  const values = variables.map((name) => [name, ports.env[name] ?? null]);
  const fixed = Object.values(FIXED).map((settingOf) => settingOf(loaded.config));
  const facts = [VERSION, home, loaded.path ?? null, ports.cwd, device ?? null, fixed, values];
  return {
    ...openMeetingPlace(store, facts),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
