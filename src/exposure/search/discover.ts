/** `discover_mcp_tools`: finds tools for a step and says how to call each, in few tokens. */
import type { Entry, FoundEntry, Source } from '../../catalog/catalog.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { metaOf } from '../../model/mcp.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { toFault, toText } from '../answers.ts';
import { whyUnchecked } from '../checkable.ts';
import type { ModePorts } from '../ports.ts';
import { toSignature } from '../signature.ts';
import { sayUnmet } from '../standing-text.ts';
import { findByPath, toPath } from '../tool-path.ts';
import { ANSWER_LINES_LIMIT, firstSentence, type NamedLine, toShortLines } from '../words.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from './definitions.ts';

/** What is kept of a description, in characters. */
const DESCRIPTION_LIMIT = 110;
const SERVER_LINE_LIMIT = 90;
/** What servers that cannot be asked may take of an answer that found nothing. */
const TROUBLE_LIMIT = 1_000;

/** The ports a search needs. */
export type DiscoverPorts = Pick<ModePorts, 'namespace' | 'searchMemory'>;

interface Question {
  readonly query: string;
  readonly limit: number;
  readonly server: string | undefined;
  readonly schemas: boolean;
}

/** Answers one search. */
export async function discover(
  args: JsonObject,
  view: CatalogView,
  ports: DiscoverPorts,
): Promise<JsonObject> {
  const question = parseQuestion(args);
  if (typeof question === 'string') return toFault(question);
  const { server } = question;
  const unmet = view.unmet();
  const ids = [...view.upstreams(), ...unmet].map(({ upstream }) => upstream);
  if (server !== undefined && !ids.some((id) => id === server)) {
    return toFault(`no server is called "${server}"${didYouMean(server, ids)}; "*" lists them`);
  }
  const silent = unmet.find(({ upstream }) => upstream === server);
  if (silent) return toFault(sayUnmet(silent, view, 'tools'));
  if (question.query.trim() === '*') return toText(listServers(view, server));
  const found = await find(question, view, ports.namespace);
  ports.searchMemory.searched(
    view.caller,
    question.query,
    found.map(({ entry }) => entry),
  );
  if (found.length === 0) return toText(sayNothingFound(question, view));
  return toText(toBlocks(found, question, view), { hits: found.map((hit) => toHitMeta(hit, view)) });
}

function parseQuestion(args: JsonObject): Question | string {
  const { query, limit = DEFAULT_LIMIT, server, detail } = args;
  if (typeof query !== 'string' || query.trim() === '')
    return 'query has to say what you want to do, such as "create an issue"';
  if (typeof limit !== 'number' || !Number.isFinite(limit))
    return `limit has to be a number from 1 to ${MAX_LIMIT}`;
  if (server !== undefined && typeof server !== 'string')
    return 'server has to be the id of a server; "*" lists them';
  const bounded = Math.min(MAX_LIMIT, Math.max(1, Math.floor(limit)));
  return { query, limit: bounded, server, schemas: detail === 'schema' };
}

/** An exact path or name comes first; usable tools before those whose server cannot be used now. */
async function find(
  { query, limit, server }: Question,
  view: CatalogView,
  namespace: string,
): Promise<FoundEntry[]> {
  const meant = findByPath(query, view, namespace);
  const exact = meant.kind === 'one' ? [meant.entry] : meant.kind === 'several' ? meant.entries : [];
  const inServer = exact.filter((entry) => server === undefined || entry.upstream === server);
  const ranked = await view.search(query, { limit: limit + inServer.length, server });
  const first = inServer.map((entry) => ({
    entry,
    score: ranked.find((hit) => hit.entry === entry)?.score ?? 1,
  }));
  const rest = ranked.filter(({ entry }) => !inServer.includes(entry));
  const all = [...first, ...rest].slice(0, limit);
  const isUsable = ({ entry }: FoundEntry) => view.standing(entry.upstream).usable;
  return [...all.filter(isUsable), ...all.filter((hit) => !isUsable(hit))];
}

function toBlocks(found: readonly FoundEntry[], { schemas, server }: Question, view: CatalogView): string {
  const blocks = found.map(({ entry }) => (schemas ? toSchemaBlock(entry) : toBlock(entry, view)));
  const total = view.count(server);
  return [...blocks, `${found.length} of ${total}`].join('\n');
}

function toBlock(entry: Entry, view: CatalogView): string {
  const { text, complete } = toSignature(entry.definition);
  const notes = [
    toMarks(entry),
    complete ? '' : 'ask detail:"schema"',
    toChecked(entry),
    toStanding(entry, view),
  ].filter((note) => note !== '');
  const description = firstSentence(
    String(entry.definition['description'] ?? entry.definition['title'] ?? ''),
    DESCRIPTION_LIMIT,
  );
  const line = [description, notes.length > 0 ? `[${notes.join('; ')}]` : '']
    .filter((part) => part !== '')
    .join(' ');
  return line === '' ? `${toPath(entry)}${text}` : `${toPath(entry)}${text}\n  ${line}`;
}

function toSchemaBlock(entry: Entry): string {
  const { description, inputSchema, outputSchema } = entry.definition;
  return `${toPath(entry)} ${JSON.stringify({ description, inputSchema, outputSchema })}`;
}

function toMarks({ definition }: Entry): string {
  const annotations = isJsonObject(definition['annotations']) ? definition['annotations'] : {};
  if (annotations['readOnlyHint'] === true) return 'read-only';
  return annotations['destructiveHint'] === true ? 'destructive' : '';
}

/** As far as it is plain at once: compiling every schema that is found would take too long. */
function toChecked({ definition: { inputSchema: schema } }: Entry): string {
  return isJsonObject(schema) && whyUnchecked(schema) !== undefined ? 'arguments not checked' : '';
}

function toStanding(entry: Entry, view: CatalogView): string {
  const { usable, advice } = view.standing(entry.upstream);
  return usable ? '' : `${entry.upstream} ${advice}`.slice(0, 160);
}

function listServers(view: CatalogView, only: string | undefined): string {
  const lines = view
    .upstreams()
    .filter(({ upstream }) => only === undefined || upstream === only)
    .map((source) => ({ name: source.upstream, line: toServerLine(source, view) }));
  const silent = only === undefined ? toSilent(view) : [];
  return toShortLines([...lines, ...silent], ANSWER_LINES_LIMIT).join('\n') || 'no servers are configured';
}

function toSilent(view: CatalogView): readonly NamedLine[] {
  return view.unmet().map((unmet) => ({ name: unmet.upstream, line: sayUnmet(unmet, view, 'tools') }));
}

function toServerLine({ upstream, title, manifest }: Source, view: CatalogView): string {
  const { usable, advice } = view.standing(upstream);
  const says =
    manifest.hello.instructions ??
    String(manifest.hello.serverInfo['title'] ?? (title === upstream ? '' : title));
  const line = [
    `${upstream} ${view.count(upstream)} tools`,
    firstSentence(says, SERVER_LINE_LIMIT),
    usable ? '' : `[${advice}]`,
  ];
  return line.filter((part) => part !== '').join(' ');
}

function sayNothingFound({ query, server }: Question, view: CatalogView): string {
  const sources = view.upstreams().filter(({ upstream }) => server === undefined || upstream === server);
  const down = sources.filter(({ upstream }) => !view.standing(upstream).usable);
  const trouble = [
    ...down.map(({ upstream }) => ({
      name: upstream,
      line: `${upstream} ${view.standing(upstream).advice}`,
    })),
    ...(server === undefined ? toSilent(view) : []),
  ];
  return [
    `no tool matches "${query.slice(0, 80)}"${server === undefined ? '' : ` on ${server}`}; try other words for one step, or "*" for the servers`,
    ...toShortLines(trouble, TROUBLE_LIMIT),
  ].join('\n');
}

function toHitMeta({ entry, score }: FoundEntry, view: CatalogView): JsonObject {
  const meta = metaOf(entry.definition);
  return {
    path: toPath(entry),
    score: Math.round(score * 1000) / 1000,
    transport: view.standing(entry.upstream).transport,
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}
