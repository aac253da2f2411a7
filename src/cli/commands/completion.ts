/** `thimble completion`: a script that lets the shell's Tab finish commands, options and names. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '../../errors/gateway-error.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { House } from '../../operations/house.ts';
import { listConfigured } from '../../operations/servers/server-entries.ts';
import { type Command, JSON_OPTION } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { findCommand } from '../find-command.ts';
import { openHouse, PLACE_OPTIONS } from '../house/open-house.ts';
import { toFirstWords } from '../operations/find-operation.ts';

/** Each asks this command, with a first word of `--`, for what could follow the words so far. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: [
    '_thimble() {',
    '  local word',
    '  COMPREPLY=()',
    // Names may be of others: bash puts them into the line as they are, so they are quoted. No mapfile: macOS has bash 3.2.
    `  while IFS= read -r word; do COMPREPLY+=("$(printf %q "$word")"); done < <(thimble completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)`,
    '}',
    'complete -o default -F _thimble thimble',
  ].join('\n'),
  zsh: [
    '_thimble() {',
    '  local -a found',
    `  found=("\${(@f)$(thimble completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")`,
    '  compadd -a found',
    '}',
    'compdef _thimble thimble',
  ].join('\n'),
  fish: "complete -c thimble -f -a '(thimble completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'",
};

const SHELLS = Object.keys(SCRIPTS);

/** Prints the script of a shell, or what could follow some words. */
export const completion: Command = {
  name: 'completion',
  words: ['<shell>'],
  summary: `print what makes Tab work: ${SHELLS.join(', ')}`,
  options: [JSON_OPTION, ...PLACE_OPTIONS],
  examples: [
    'source <(thimble completion bash)',
    'thimble completion zsh >> ~/.zshrc',
    'thimble completion fish > ~/.config/fish/completions/thimble.fish',
  ],
  takesRest: true,
  async run(input, ports) {
    const [shell = ''] = input.args;
    if (shell !== 'words') {
      const script = toScript(shell);
      ports.print(input.options['json'] === true ? JSON.stringify({ shell, script }, null, 2) : script);
      return EXIT_CODES.ok.code;
    }
    await using house = await openHouse(input, ports);
    const found = await toCandidates(input.rest ?? [], house);
    if (input.options['json'] === true) ports.print(JSON.stringify({ words: found }, null, 2));
    else if (found.length > 0) ports.print(found.join('\n'));
    return EXIT_CODES.ok.code;
  },
};

function toScript(shell: string): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script !== undefined) return script;
  throw new GatewayError(
    'INVALID_PARAMS',
    `there is no completion for "${shell}"${didYouMean(shell, SHELLS)}; there is ${SHELLS.join(', ')}`,
  );
}

/** What could stand where the last word is being typed. */
async function toCandidates(words: readonly string[], house: House): Promise<readonly string[]> {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const all = before.length === 0 ? await toFirstWords() : await toFollowing(before, typed, house);
  return [...new Set(all)].filter((candidate) => candidate.startsWith(typed)).sort();
}

async function toFollowing(
  before: readonly string[],
  typed: string,
  house: House,
): Promise<readonly string[]> {
  const found = await findCommand(before).catch(() => undefined);
  if (!found) return [];
  if (!('command' in found)) return found.operations.map(({ verb }) => verb);
  const { command, words } = found;
  if (typed.startsWith('-'))
    return ['--help', ...command.options.map(({ flags }) => flags.split(' ', 1)[0] ?? '')];
  const at = words.filter((word) => !word.startsWith('-')).length;
  return toNames(command, command.words[at] ?? command.words.find((word) => word.includes('...')), house);
}

/** What the word at a place of a command may be; nothing where it is the person's to say. */
async function toNames(
  { name }: Command,
  place: string | undefined,
  house: House,
): Promise<readonly string[]> {
  const content = await house.config.read().catch(() => undefined);
  const [noun = ''] = name.split(' ');
  const servers = content ? listConfigured(content).map(({ id }) => id) : [];
  const profiles = content?.config.upstreams.flatMap(({ tags }) => tags) ?? [];
  switch (place?.replace(/[^a-z]/g, '')) {
    case 'shell':
      return SHELLS;
    case 'upstream':
    case 'server':
    case 'servers':
      return servers;
    case 'key':
      return noun === 'config' ? toKeys() : [];
    case 'name':
      break;
    default:
      return [];
  }
  if (noun === 'profile') return profiles;
  if (name === 'share stop') return toShares(house);
  if (noun === 'share') return [...servers, ...profiles];
  if (noun === 'client')
    return (await import('../../clients/known/registry.ts')).CLIENTS.map(({ key }) => key);
  return servers;
}

/** Every setting but those whose names people choose themselves. */
async function toKeys(): Promise<readonly string[]> {
  const { listKeys } = await import('../../operations/nouns/config/keys.ts');
  return listKeys().flatMap(({ text }) => (text.includes('<') ? [] : [text]));
}

/** What is shared; a Tab makes no store where there is none. */
async function toShares(house: House): Promise<readonly string[]> {
  if (!existsSync(join(house.home, 'thimble.db'))) return [];
  const { openShares } = await import('../../session/shares.ts');
  const shares = openShares(await house.store(), () => house.now().getTime());
  return (await shares.list()).map(({ name }) => name);
}
