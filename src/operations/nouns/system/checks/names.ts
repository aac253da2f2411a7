/** The check of names in the settings: whether there is something that is called so. */
import { findDoubts } from '../../../../config/doubts.ts';
import { CONFIG_PARTS } from '../../../../gateway.ts';
import type { Manifest } from '../../../../model/manifest.ts';
import { readManifests, toToolNames } from '../../../servers/known-manifests.ts';
import { type Check, warn } from '../check.ts';

/** Whether the servers and tools that settings name are there; says nothing where all are. */
export const names: Check = {
  about: 'names',
  async look(house) {
    const content = await house.config.read().catch(() => undefined);
    // What is wrong with the configuration is said by its own check.
    if (!content) return [];
    const { config, path } = content;
    const manifests = await readManifests(config, house).catch(() => new Map<string, Manifest>());
    const tools = new Map([...manifests].map(([id, manifest]) => [id, toToolNames(manifest)]));
    const fix = `correct the name in ${path}, or take it out; thimble ls shows the ids of servers, thimble info <server> its tools`;
    return findDoubts(config, { ...CONFIG_PARTS, tools }).map((doubt) => warn('names', doubt, fix));
  },
};
