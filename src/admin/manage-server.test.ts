import { afterAll, describe, expect, it } from 'vitest';
import { toOperationCommand } from '../cli/operations/operation-command.ts';
import { createTokenizer } from '../lib/tokenizer.ts';
import { loadOperations, NOUNS } from '../operations/nouns/registry.ts';
import { openTestHouse } from '../operations/test-house.contract.ts';
import { toFormerNames } from './manage-server.ts';
import { createManageTool, type ManageContext } from './manage-tool.ts';

const tokenizer = createTokenizer();
afterAll(() => tokenizer[Symbol.dispose]());

const createTools = () =>
  Promise.all(NOUNS.map(async (noun) => createManageTool(noun, await noun.load(), 'thimble')));

const unasked = {
  signal: new AbortController().signal,
  ask: async () => ({ action: 'decline', _meta: { 'thimble/unasked': true } }),
  tell() {},
};

describe('the tools of manage', () => {
  it('are eight and cost at most 900 tokens', async () => {
    const tools = (await createTools()).map((tool) => tool.definition());
    expect(tools.map(({ name }) => name)).toEqual([
      'thimble_check_status',
      'thimble_server',
      'thimble_profile',
      'thimble_client',
      'thimble_config',
      'thimble_project',
      'thimble_system',
      'thimble_share',
    ]);
    const [tokens] = await tokenizer.count([JSON.stringify({ tools })]);
    expect(tokens).toBeLessThanOrEqual(900);
  });

  it('have every operation, as the command line and the admin API do', async () => {
    const operations = await loadOperations();
    const tools = await createTools();
    for (const { noun, verb } of operations) {
      const { inputSchema } = tools.find(({ name }) => name === `thimble_${noun}`)?.definition() ?? {};
      const { properties } = inputSchema as { properties: { action?: { enum: string[] } } };
      if (!NOUNS.find(({ name }) => name === noun)?.single) expect(properties.action?.enum).toContain(verb);
    }
    for (const operation of operations)
      expect(toOperationCommand(operation).examples[0]).toMatch(/^thimble /);
  });

  it('use one type for each parameter, whatever the action', async () => {
    for (const noun of NOUNS) {
      const types = new Map<string, string>();
      for (const { verb, input } of await noun.load()) {
        for (const [name, schema] of Object.entries(input.shape)) {
          const type = toType(schema as { def: Def });
          expect(types.get(name) ?? type, `${noun.name} ${verb} ${name}`).toBe(type);
          types.set(name, type);
        }
      }
    }
  });

  it('say only what is true of every action', async () => {
    for (const noun of NOUNS) {
      const operations = await noun.load();
      const { annotations = {} } = createManageTool(noun, operations, 'x').definition() as {
        annotations?: Record<string, boolean>;
      };
      const isReading = operations.every(({ effects }) => effects === 'reads');
      expect(annotations['readOnlyHint'] ?? false, noun.name).toBe(isReading);
      if (operations.some(({ destructive }) => destructive))
        expect(annotations['destructiveHint'], noun.name).toBeUndefined();
      if (operations.some(({ openWorld }) => openWorld))
        expect(annotations['openWorldHint'], noun.name).toBeUndefined();
    }
  });

  it('answer an invalid action with the valid ones', async () => {
    await using house = await openTestHouse();
    const context: ManageContext = () => house;
    for (const tool of await createTools()) {
      if (tool.name === 'thimble_check_status') continue;
      await expect(tool.call({ action: 'lst' }, context, unasked)).rejects.toThrow(/valid actions: \w+\|/);
      await expect(tool.call({}, context, unasked)).rejects.toThrow(/the action is missing; valid actions/);
    }
  });
});

describe('the names of old', () => {
  it('are the 24 of the system that was, each with what it is now', async () => {
    const names = await toFormerNames('jarvis');
    expect(Object.fromEntries(names)).toEqual(FORMER);
  });
});

const FORMER = {
  check_status: 'jarvis_check_status',
  list_servers: 'jarvis_server action=list',
  server_info: 'jarvis_server action=info',
  install_server: 'jarvis_server action=install',
  uninstall_server: 'jarvis_server action=uninstall',
  search_servers: 'jarvis_server action=search',
  edit_server: 'jarvis_server action=edit',
  create_server: 'jarvis_server action=create',
  usage_stats: 'jarvis_server action=usage',
  manage_profile: 'jarvis_profile action=list|create|edit|delete',
  suggest_profile: 'jarvis_profile action=suggest',
  restart_profiles: 'jarvis_profile action=restart',
  manage_client: 'jarvis_client action=list|import|edit|config',
  manage_config: 'jarvis_config action=get|set|list|export|import',
  migrate_config: 'jarvis_config action=migrate',
  analyze_project: 'jarvis_project action=analyze',
  fetch_diff_context: 'jarvis_project action=diff',
  apply_devops_stack: 'jarvis_project action=devops',
  bootstrap_system: 'jarvis_system action=bootstrap',
  restart_service: 'jarvis_system action=restart',
  restart_infrastructure: 'jarvis_system action=restart_infra',
  share_server: 'jarvis_share action=start',
  stop_sharing_server: 'jarvis_share action=stop',
  list_shared_servers: 'jarvis_share action=list',
};

interface Def {
  readonly type: string;
  readonly innerType?: { readonly def: Def };
  readonly in?: { readonly def: Def };
}

function toType({ def }: { readonly def: Def }): string {
  if (def.innerType) return toType(def.innerType);
  return def.type === 'pipe' && def.in ? toType(def.in) : def.type;
}
