/** The AI clients that can be connected, one line each. */

import { GatewayError } from '../../errors/gateway-error.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { Client } from '../client.ts';
import { fiveIre } from './5ire/client.ts';
import { claudeCode } from './claude-code/client.ts';
import { claudeCodeProject } from './claude-code-project/client.ts';
import { claudeDesktop } from './claude-desktop/client.ts';
import { cline } from './cline/client.ts';
import { codex } from './codex/client.ts';
import { continueDev } from './continue/client.ts';
import { cursor } from './cursor/client.ts';
import { gemini } from './gemini/client.ts';
import { goose } from './goose/client.ts';
import { opencode } from './opencode/client.ts';
import { qwen } from './qwen/client.ts';
import { rooCode } from './roo-code/client.ts';
import { trae } from './trae/client.ts';
import { vscode } from './vscode/client.ts';
import { windsurf } from './windsurf/client.ts';

/** Every client, in the order they are shown. */
export const CLIENTS: readonly Client[] = [
  claudeDesktop,
  claudeCode,
  claudeCodeProject,
  cursor,
  windsurf,
  vscode,
  cline,
  rooCode,
  continueDev,
  goose,
  codex,
  gemini,
  qwen,
  trae,
  fiveIre,
  opencode,
];

/** Finds one by its key; refuses an unknown one with the nearest. */
export function findClient(word: string): Client {
  const wanted = word.toLowerCase();
  // MCPM calls some of them so.
  const found = CLIENTS.find(({ key }) => key === wanted || `${key}-cli` === wanted);
  if (found) return found;
  const keys = CLIENTS.map(({ key }) => key);
  throw new GatewayError(
    'NAME_UNKNOWN',
    `no client is called "${word.slice(0, 100)}"${didYouMean(wanted, keys)}; there are ${keys.join(', ')}`,
  );
}
