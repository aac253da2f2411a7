/** `thimble find`: what an agent's words find, on the command line, and why. */
import type { FoundEntry } from '../../catalog/catalog.ts';
import type { SearchExplanation } from '../../catalog/search/search.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../exposure/search/definitions.ts';
import { type DiscoverPorts, discover } from '../../exposure/search/discover.ts';
import { toPath } from '../../exposure/tool-path.ts';
import type { Gateway } from '../../gateway.ts';
import type { JsonObject } from '../../model/json.ts';
import { POLICIES } from '../../policy/order.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { openView } from '../../policy/view.ts';
import { toIdleContext } from '../../session/client-facts.ts';
import {
  type Command,
  type CommandInput,
  type CommandPorts,
  JSON_OPTION,
  printAnswer,
  textOption,
} from '../command.ts';
import { EXIT_CODES, toEndCode } from '../exit-codes.ts';
import { GATEWAY_OPTIONS } from '../gateway/configured-gateway.ts';
import { openKnownGateway } from '../gateway/known-gateway.ts';
import { tellWhenSlow } from '../output/progress.ts';

/** What was found, as an agent is told it. */
interface Answer {
  readonly text: string;
  readonly paths: readonly string[];
}

/** Finds tools by words, as `discover_mcp_tools` does. */
export const find: Command = {
  name: 'find',
  words: ['<words>'],
  summary: 'find tools by what you want to do, as an agent does in search mode',
  options: [
    ...GATEWAY_OPTIONS,
    { flags: '--server <id>', summary: 'only tools of this server' },
    { flags: '--limit <number>', summary: `how many, at most ${MAX_LIMIT} (${DEFAULT_LIMIT})` },
    { flags: '--explain', summary: 'what each score is made of' },
    JSON_OPTION,
  ],
  examples: ['thimble find "create an issue"', 'thimble find "read a file" --server files --explain'],
  async run(input, ports) {
    const limit = toLimit(input);
    await using running = await openKnownGateway(input, ports);
    if (!running) return EXIT_CODES.stopped.code;
    const { gateway, config } = running;
    if (!(await untilSearchReady(gateway, ports))) return EXIT_CODES.stopped.code;
    const [query = ''] = input.args;
    const server = textOption(input, 'server');
    const question = { query, limit, ...(server === undefined ? {} : { server }) };
    const view = openView(gateway.catalog.current, gateway.catalog, POLICIES, toIdleContext());
    const answer = await ask(question, view, config.namespace);
    const explained = input.options['explain'] === true && answer.paths.length > 0;
    const text = explained ? await explain(answer, question, view) : answer.text;
    printAnswer(input, ports, { query, tools: answer.paths, text }, () => text);
    return toEndCode(answer.paths.length > 0 || query.trim() === '*');
  },
};

function toLimit(input: CommandInput): number {
  const text = textOption(input, 'limit') ?? String(DEFAULT_LIMIT);
  const limit = Number(text);
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new GatewayError('INVALID_PARAMS', `--limit takes a number from 1 to ${MAX_LIMIT}, not "${text}"`);
}

/** Waits for word meanings, so that hits rank as they will from then on; false when the person gave up meanwhile. */
function untilSearchReady({ catalog }: Gateway, { stopped }: CommandPorts): Promise<boolean> {
  const ready = catalog.searchReady().then(() => true);
  return tellWhenSlow(
    Promise.race([ready, stopped.then(() => false)]),
    () => 'reading what the servers offer',
  );
}

async function ask(question: JsonObject, view: CatalogView, namespace: string): Promise<Answer> {
  const result = await discover(question, view, toPorts(namespace));
  const [content] = result['content'] as readonly { readonly text: string }[];
  const text = content?.text ?? '';
  if (result['isError'] === true) throw new GatewayError('INVALID_PARAMS', text);
  const { hits = [] } = (result['_meta'] ?? {}) as { hits?: readonly { readonly path: string }[] };
  return { text, paths: hits.map(({ path }) => path) };
}

/** Nobody calls anything here, so there is nothing to learn from. */
function toPorts(namespace: string): DiscoverPorts {
  const searchMemory = { searched() {}, called() {} };
  return { namespace, searchMemory };
}

/** The answer with a line under each hit that says what its score is made of. */
async function explain(
  { text, paths }: Answer,
  { query, server }: { readonly query: string; readonly server?: string },
  view: CatalogView,
): Promise<string> {
  const found = await view.search(query, { limit: MAX_LIMIT * 2, server });
  const byPath = new Map(found.map((hit) => [toPath(hit.entry), hit]));
  const blocks = text.split(/\n(?! )/);
  return blocks
    .flatMap((block, at) => {
      const path = paths[at];
      return path === undefined ? [block] : [block, `  ${toSum(byPath.get(path))}`];
    })
    .join('\n');
}

function toSum(hit: FoundEntry | undefined): string {
  const parts = hit?.explain?.();
  if (!hit || !parts) return 'named exactly';
  const { sum, words } = addUp(parts);
  const lost = sum - hit.score;
  const less = lost > 0.0005 ? ` - ${lost.toFixed(3)} served by better hits` : '';
  return `${hit.score.toFixed(3)} = ${words.join(' + ')}${less}`;
}

function addUp({ fields, bonuses }: SearchExplanation): { sum: number; words: string[] } {
  const parts = [...Object.entries(fields), ...Object.entries(bonuses)];
  return {
    sum: parts.reduce((sum, [, value]) => sum + value, 0),
    words: parts.filter(([, value]) => value >= 0.0005).map(([name, value]) => `${name} ${value.toFixed(3)}`),
  };
}
