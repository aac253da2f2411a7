/** The list of commands, one line each; each is loaded only when it is run or explained. */
import type { Command } from '../command.ts';

/** Every command, by name. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init.ts')).init,
  serve: async () => (await import('./serve.ts')).serve,
  stdio: async () => (await import('./stdio.ts')).stdio,
  run: async () => (await import('./run.ts')).run,
  find: async () => (await import('./find.ts')).find,
  tokens: async () => (await import('./tokens.ts')).tokens,
  guide: async () => (await import('./guide.ts')).guide,
  explain: async () => (await import('./explain.ts')).explain,
  ps: async () => (await import('./ps.ts')).ps,
  logs: async () => (await import('./logs.ts')).logs,
  restart: async () => (await import('./restart.ts')).restart,
  approve: async () => (await import('./approve.ts')).approve,
  'mcp-config': async () => (await import('./mcp-config.ts')).mcpConfig,
  completion: async () => (await import('./completion.ts')).completion,
  login: async () => (await import('./login.ts')).login,
};
