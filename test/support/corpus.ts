/** Tool lists of real servers, kept outside the project; the folder is named by CORPUS_DIR or lies beside the checkout. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toUpstreamIds } from '../../src/model/ids.ts';
import type { Definition } from '../../src/model/mcp.ts';
import type { FakeOffer } from './fake-upstreams.ts';

const FOLDER =
  process.env['CORPUS_DIR'] ?? fileURLToPath(new URL('../../../shared/data/corpus', import.meta.url));

/** Every server's tools, by an id made from its file's name. */
export function readCorpus(): Map<string, Definition[]> {
  const servers = new Map<string, Definition[]>();
  if (!existsSync(FOLDER)) return servers;
  for (const file of readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const { tools } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { tools?: Definition[] };
    if (tools && tools.length > 0) servers.set(file.replace(/\.json$/, ''), tools);
  }
  const ids = toUpstreamIds(servers.keys());
  return new Map([...servers].map(([name, tools]) => [ids.get(name) ?? name, tools]));
}

/** About so many tools of the corpus as offers of upstreams, with copies of servers where it is too small. */
export function toOffers(count: number): Record<string, FakeOffer> {
  const corpus = [...readCorpus()];
  const offers: Record<string, FakeOffer> = {};
  let left = count;
  for (let round = 0; left > 0 && corpus.length > 0; round++) {
    for (const [id, tools] of corpus) {
      if (left <= 0) break;
      const taken = tools.slice(0, left);
      offers[round === 0 ? id : `${id.slice(0, 20)}-${round}`] = { tools: taken };
      left -= taken.length;
    }
  }
  return offers;
}
