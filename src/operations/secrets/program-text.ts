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
/** A flag that names a secret by a whole word; short ones may as well be several flags in one. */
const NAMED_SECRET = /^--[\w.-]*(token|key|secret|pass|pwd?|auth|cred|mnemonic)[\w.-]*$/i;
/** The same with its value. */
const JOINED_SECRET = /^(--[\w.-]*(?:token|key|secret|pass|pwd?|auth|cred|mnemonic)[\w.-]*)=/i;
/** Flags that say who and where: what stands behind them is no program either. */
const SETTING =
  /^--([\w.]+-)*(user(name)?|login|email|account|host(name)?|port|url|uri|database|db|region|project|transport|level)$/i;

/** Variables that change what is run, or what is loaded into it. */
const RUN_VARIABLES =
  /^(NODE_OPTIONS|NODE_PATH|LD_.*|DYLD_.*|PATH|PATHEXT|PYTHON.*|BASH_ENV|SHELL|SHELLOPTS|PS4|IFS|EDITOR|VISUAL|PAGER|BROWSER|RUBYOPT|RUBYLIB|PERL5.*|PERLLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|npm_.*|PNPM_.*|YARN_.*|BUN_.*|DENO_.*|UV_.*|PIP_.*|DOCKER_HOST|DOCKER_CONTEXT|GIT_.*|.+_(COMMAND|CMD|EXEC|SCRIPT|HELPER|PROGRAM|PROCESS|PLUGIN|MODULE|ASKPASS))$/i;
/** What no program takes for a path or an option, whatever its name begins with. */
const CREDENTIAL = /(token|password|passwd|secret|_pat|_auth|(api|access|private)_?key|credentials?)$/i;

/** What is given with such a flag is run, or loaded, to find the secret out. */
const COMMAND_FLAGS =
  /^--?[\w.-]+(command|cmd|exec|script|helper|program|process|plugin|module)([-_.]?(path|file|name|args))?(=|$)/i;

/** Launchers that leave out a flag they do not know and start what follows, where others refuse it. */
const LENIENT = /^(bunx?|yarn|pnpm)$/;

/** Flags with which a package is fetched: those of its launcher, not of what is run. */
const FETCHES = /^(-p|--(package|from|with))$/;

/** The places of those arguments that say what is run. */
export function findProgramText(command: string | undefined, args: readonly unknown[]): ReadonlySet<number> {
  const words = args.map((arg) => (typeof arg === 'string' ? arg : ''));
  const program = command === undefined ? -1 : findMain(command, words);
  const isSetting = command === undefined ? () => false : findSettings(command, words, program);
  const found = words.flatMap((word, at) => {
    if (at === program) return [at];
    return !isSetting(at) && isProgramText(word, words[at - 1] ?? '') ? [at] : [];
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

/** The password that `sshpass` is given with its own flags; behind them begins another program. */
export function findShortPassword(
  command: string | undefined,
  args: readonly unknown[],
): ShortPassword | undefined {
  if (toProgramName(command ?? '') !== 'sshpass') return undefined;
  const words = args.map((arg) => (typeof arg === 'string' ? arg : ''));
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '-p') return { at: at + 1, head: '', value: words[at + 1] ?? '' };
    if (word.startsWith('-p')) return { at, head: '-p', value: word.slice(2) };
    if (/^-[fdP]$/.test(word)) at++;
    else if (!/^-([fdP].+|[ev])$/.test(word)) return undefined;
  }
  return undefined;
}

/**
 * Which arguments are passwords and the like, though they look like what a shell reads. Only where a launcher is
 * given nothing but what it starts, flags, secrets, and who and where: then no argument is another program, nor a part
 * of one.
 */
function findSettings(command: string, words: readonly string[], main: number): (at: number) => boolean {
  const kind = findLauncher(command)?.kind;
  const takesText =
    main < 0 ||
    SHELL_MARKS.test(words[main] ?? '') ||
    !hasOnlySettings(words.slice(main + 1)) ||
    words.slice(0, main).some((word) => {
      if (kind === 'image') return word.startsWith('--entrypoint');
      return PROGRAM_FLAGS.test(word) && !(kind === 'package' && FETCHES.test(word));
    });
  if (takesText || kind === undefined || kind === 'any') return () => false;
  return (at) => {
    const [word = '', before = ''] = [words[at], words[at - 1]];
    if (at > main) return isSecretFlag(before) || isSecretFlag(JOINED_SECRET.exec(word)?.[1] ?? '');
    const [, variable] = /^([A-Za-z_]\w*)=/.exec(word) ?? [];
    return (
      kind === 'image' && /^(-e|--env)$/.test(before) && variable !== undefined && !changesWhatRuns(variable)
    );
  };
}

function hasOnlySettings(words: readonly string[]): boolean {
  return words.every((word, at) => {
    const before = words[at - 1] ?? '';
    if (!word.startsWith('-')) return isSecretFlag(before) || SETTING.test(before);
    return word !== '--' && ![PROGRAM_FLAGS, JOINED_FLAGS, COMMAND_FLAGS].some((flags) => flags.test(word));
  });
}

function isSecretFlag(word: string): boolean {
  return NAMED_SECRET.test(word) && !COMMAND_FLAGS.test(word);
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
  if (JOINED_FLAGS.test(word) || COMMAND_FLAGS.test(word)) return true;
  if (COMMAND_FLAGS.test(before) && !before.includes('=')) return true;
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
    const isValue = VALUED.test(before) || (!LENIENT.test(launcher.name) && NAMED_SECRET.test(before));
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
