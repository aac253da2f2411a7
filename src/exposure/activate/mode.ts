/** Shows the tools of one server and three that switch the others on and off. */
import { toFault } from '../answers.ts';
import { argumentsOf } from '../arguments.ts';
import { callRefused } from '../call-refused.ts';
import type { ExposureMode } from '../exposure.ts';
import { toOwnName, withoutPrefix } from '../own-names.ts';
import { readActive, visibleServers } from './active.ts';
import { toOwnTools, WORDS } from './definitions.ts';
import { activateServer, deactivateServer, showStatus } from './switch.ts';

/** The mode for few tools at a time, whole. */
export const activate: ExposureMode = {
  name: 'activate',
  summary: 'the tools of one server, and three that switch the others on and off',
  reserved: (namespace) => Object.values(WORDS).map((word) => toOwnName(namespace, word)),
  finds: (namespace) => Object.values(WORDS).map((word) => toOwnName(namespace, word)),
  changesByCall: true,
  open: (ports) => ({
    async tools(view) {
      const { all } = await readActive(view, ports);
      const toolsOf = (server: string) => view.toolsOf(server).map(({ definition }) => definition);
      const [first, ...later] = all;
      // Appended in the order of activation, so that what a client has seen keeps its place.
      return [
        ...(first === undefined ? [] : toolsOf(first)),
        ...toOwnTools(ports.namespace, visibleServers(view)),
        ...later.flatMap(toolsOf),
      ];
    },
    async call(name, params, view) {
      const args = argumentsOf(params);
      const bare = withoutPrefix(name, ports.namespace);
      switch (bare ?? (view.find('tool', name) ? undefined : name)) {
        case WORDS.activate:
          return activateServer(args, view, ports);
        case WORDS.deactivate:
          return deactivateServer(args, view, ports);
        case WORDS.status:
          return showStatus(view, ports);
      }
      const entry = view.find('tool', name) ?? (bare === undefined ? undefined : view.find('tool', bare));
      if (!entry) return callRefused(name, view, ports.namespace) ?? view.use('tool', name, params);
      const { all } = await readActive(view, ports);
      if (all.includes(entry.upstream)) return view.use('tool', entry.publicName, params);
      const way = `call ${toOwnName(ports.namespace, WORDS.activate)} with server "${entry.upstream}" first`;
      return toFault(`${entry.publicName} belongs to ${entry.upstream}, which is not active; ${way}`);
    },
    async mention(entry, view) {
      const { all } = await readActive(view, ports);
      return all.includes(entry.upstream)
        ? entry.publicName
        : `${entry.publicName} (after ${toOwnName(ports.namespace, WORDS.activate)} "${entry.upstream}")`;
    },
  }),
};
