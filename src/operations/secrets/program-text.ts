/** What of a command line or an environment decides which program runs: never hidden from whoever agrees to it. */
import { findLauncher, SUBCOMMANDS, toProgramName } from '../../clients/launchers.ts';

/** What a shell, or any other language, makes a program of. */
const SHELL_MARKS = /[;|&`$<>()\n\r]/;
const REFERENCES = /\$\{[^{}]*\}/g;
/** Flags after which interpreters and launchers take a program, a module or a file to run. */
const PROGRAM_FLAGS =
  /^(-[a-z]{0,2}[ce]|-[EpPrmxSX]|\/[ckCK]|--?(eval|print|require|import|loader|experimental-loader|call|exec|execute|command|encodedcommand|enc|script|shell|module|package|from|with|preload|init-file|rcfile)|eval|exec)$/i;
const JOINED_FLAGS =
  /^(-X|--?(eval|print|require|import|loader|experimental-loader|call|exec|execute|command|script|shell|module|package|from|with|preload|init-file|rcfile|node-options)=)/i;
/** Where a package is fetched from: `--from git+https://…`. */
const SOURCE = /(?:^|\s)(?:-p|--(?:package|from|with))[\s=](\S+)$/;
/** `-e NAME=value`, as containers are given variables: it runs nothing. */
const ASSIGNMENT = /^[A-Z_][A-Z0-9_]*=[^\s"'\\;|&`$<>()]*$/;
const HEADER_FLAGS = /^(-H|--headers?)$/;
/** `Server=db;Password=x`: members only, each of which may be judged by its name. */
const MEMBERS = /^[A-Za-z][\w .-]*=[^;|&`$<>()\n\r]*(;\s*[A-Za-z][\w .-]*=[^;|&`$<>()\n\r]*)*;?$/;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^\s;|`$<>()"'\\]+$/i;

/** Flags of launchers that stand before a value. */
const VALUED =
  /^(-[epcvwuH]|--(headers?|package|call|env|env-file|volume|mount|name|network|workdir|user|with|from|python|directory|project|platform|entrypoint|add-host))$/;

/** After these the program is a text, or the rest is its own. */
const ENDS = /^(-[a-z]{0,2}[ce]|-[EmS]|--|--(eval|print|call|command)(=.*)?|eval)$/;
/** What stands behind such a flag is no program, whatever launcher it is given to. */
const NAMED_SECRET = /^--?[\w.-]*(token|key|secret|pass|pwd?|auth|cred|mnemonic)[\w.-]*$/i;

/** Variables that change what is run, or what is loaded into it. */
const RUN_VARIABLES =
  /^(NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|PATH|PATHEXT|PYTHON.*|BASH_ENV|SHELL|SHELLOPTS|PS4|IFS|EDITOR|VISUAL|PAGER|BROWSER|RUBYOPT|RUBYLIB|PERL5.*|PERLLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|npm_.*|PNPM_.*|YARN_.*|BUN_.*|DENO_.*|UV_.*|PIP_.*|DOCKER_HOST|DOCKER_CONTEXT|GIT_.*|SSH_ASKPASS|.+_COMMAND)$/i;
/** What no program takes for a path or an option, whatever its name begins with. */
const CREDENTIAL = /(token|password|passwd|secret|_pat|_auth|(api|access|private)_?key|credentials?)$/i;

/** What stands behind such a flag is run to find the secret out. */
const COMMAND_FLAGS = /^--?[\w.-]+[-_.](command|cmd|exec|script|helper)$/i;

/** A flag that makes a program of a text, after which any argument may be part of it. */
const TAKES_TEXT = /^(-[a-z]{0,2}c|\/[ckCK]|--(eval|print|call|command)(=.*)?|eval)$/;

/** Programs with a short flag for a password; with others `-p` is a port, a path or a package. */
const PASSWORD_FLAGS: ReadonlyMap<string, RegExp> = new Map([
  ['sshpass', /^(-p)(.*)$/],
  // Behind a bare `-p` these ask for it, and what follows is the database.
  ...['mysql', 'mysqldump', 'mysqladmin', 'mariadb'].map((name) => [name, /^(-p)(.+)$/] as const),
  ...['mongo', 'mongosh', 'mongodump'].map((name) => [name, /^(-p)$/] as const),
  ['redis-cli', /^(-a)$/],
  ['sqlcmd', /^(-P)(.*)$/],
]);

/** The places of those arguments that say what is run. */
export function findProgramText(command: string | undefined, args: readonly unknown[]): ReadonlySet<number> {
  const words = args.map((arg) => (typeof arg === 'string' ? arg : ''));
  const program = command === undefined ? -1 : findMain(command, words);
  const isPlain = command !== undefined && takesNoText(command, words, program);
  const found = words.flatMap((word, at) => {
    const before = words[at - 1] ?? '';
    // A password may well look like what a shell reads.
    if (at !== program && isPlain && NAMED_SECRET.test(before) && !COMMAND_FLAGS.test(before)) return [];
    return at === program || isProgramText(word, before) ? [at] : [];
  });
  return new Set(found);
}

/** A password that only the program makes one. */
export interface ShortPassword {
  /** The place of its argument. */
  readonly at: number;
  /** The flag it is joined to; empty when it stands behind it. */
  readonly head: string;
  readonly value: string;
}

/** The password among arguments whose flag is only short; what follows may be the arguments of another program. */
export function findShortPassword(
  command: string | undefined,
  args: readonly unknown[],
): ShortPassword | undefined {
  const forms = PASSWORD_FLAGS.get(toProgramName(command ?? ''));
  if (!forms) return undefined;
  const words = args.map((arg) => (typeof arg === 'string' ? arg : ''));
  const found = words.findIndex((word) => forms.test(word));
  const [flag = '', value = ''] = forms.exec(words[found] ?? '')?.slice(1) ?? [];
  if (value !== '') return { at: found, head: flag, value };
  const next = words[found + 1] ?? '';
  return found < 0 || next === '' || next.startsWith('-')
    ? undefined
    : { at: found + 1, head: '', value: next };
}

/** True when no argument can be taken for a program, or a part of one. */
function takesNoText(command: string, words: readonly string[], main: number): boolean {
  const kind = findLauncher(command)?.kind;
  if (kind === 'any' || (kind === 'file' && main < 0)) return false;
  return !words.some((word) => TAKES_TEXT.test(word));
}

/** True when a variable changes what is run. */
export function changesWhatRuns(name: string): boolean {
  // Settings of other programs are called env as well, so that one only as shells spell it.
  return name === 'ENV' || (RUN_VARIABLES.test(name) && !CREDENTIAL.test(name));
}

/** True when a value that would be hidden is more than a word to a program that the arguments hold. */
export function isUsedAsProgram(
  name: string,
  value: string,
  command: string | undefined,
  args: readonly unknown[],
): boolean {
  if (/^[\w+=.:@-]*$/.test(value)) return false;
  const texts = [...findProgramText(command, args)].map((at) => String(args[at]));
  const words = new Set(texts.flatMap((text) => text.split(/[^A-Za-z0-9_]+/)));
  return words.has(name);
}

function isProgramText(word: string, before: string): boolean {
  // Of an address only who logs in there, and the like, is left out.
  const [, source] = SOURCE.exec(`${before} ${word}`) ?? [];
  if (source !== undefined && ADDRESS.test(source)) return false;
  if (PROGRAM_FLAGS.test(before)) return !(/^-e$/i.test(before) && ASSIGNMENT.test(word));
  if (JOINED_FLAGS.test(word) || COMMAND_FLAGS.test(before)) return true;
  const text = word.replace(REFERENCES, '');
  if (!SHELL_MARKS.test(text) || HEADER_FLAGS.test(before)) return false;
  return !ADDRESS.test(text) && !MEMBERS.test(text) && !isJson(text);
}

/** The place of the script, the package or the image; -1 when the program itself is what runs. */
function findMain(command: string, words: readonly string[]): number {
  const launcher = findLauncher(command);
  if (!launcher) return -1;
  const end = launcher.kind === 'image' ? -1 : words.findIndex((word) => ENDS.test(word));
  const at = words.findIndex((word, place) => {
    const before = words[place - 1] ?? '';
    const isValue = VALUED.test(before) || NAMED_SECRET.test(before);
    return /^[^-\s]\S*$/.test(word) && !SUBCOMMANDS.has(word) && !isValue;
  });
  // Of an address only what is secret in it is left out; the rest is seen anyway.
  const isSeen = (end >= 0 && end < at) || ADDRESS.test(words[at] ?? '');
  return isSeen ? -1 : at;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
