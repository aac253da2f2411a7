/** A diff without its secrets: what a line gives to a name that sounds secret, and all that looks like a token. */
import { HIDDEN, looksSecret } from '../../secrets/secret-values.ts';

/** In such files a bare word after a name is its value; elsewhere it is code. */
const PLAIN_FILES =
  /(^|\/)(\.env[\w.-]*|[^/]*\.(env|ya?ml|toml|ini|cfg|conf|config|properties|sh|bash|zsh|txt|md|tfvars)|Dockerfile[\w.-]*|\.npmrc|\.netrc|\.pypirc|[^./]+)$/;

/** `"name": "value"`, `name = 'value'`, `name: string = "value"`, `name => "value"`, also where a quote is escaped. */
const QUOTED =
  /(["'`]?)([\w.-]{2,60})\1((?:\s{0,4}:\s{0,4}[\w.[\]|<>]{1,40}(?=\s{0,4}=))?\s{0,20}(?::=|=>|:|=)\s{0,20})(["'`])((?:\\.|(?!\4)[^\\])*)\4/g;
/** `name=value`, `name: value` with the rest of the line for a value. */
const BARE =
  /^([+\- ]\s*(?:-\s+)?(?:export\s+|set\s+|ENV\s+|ARG\s+|\/\/\S{1,200}:)?)([\w.-]{2,60})(\s*[=:]\s*|\s+)(?=\S)([^"'`\s].*)$/;
/** Who logs in, in an address. */
const LOGIN = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^/@\s"'`]{1,300}@/gi;
/** What stands between spaces and marks: long enough to be a token. */
const WORD = /[^\s"'`<>()[\]{},;]{6,}/g;
const KEY_BEGINS = /-----BEGIN [A-Z ]*PRIVATE KEY/;
const KEY_ENDS = /-----END [A-Z ]*PRIVATE KEY/;

/** Shorter than this, a kept value may be any word. */
const MIN_KEPT = 6;

/** The same diff, and how many of its lines had something to hide; kept values are hidden wherever they stand. */
export function hideDiff(
  diff: string,
  kept: Iterable<string> = [],
): { readonly text: string; readonly hidden: number } {
  const values = [...kept].filter((value) => value.length >= MIN_KEPT);
  let isPlain = false;
  let isHeader = true;
  let inKey = false;
  let hidden = 0;
  const lines = diff.split('\n').map((line) => {
    if (line.startsWith('diff --git ')) {
      isHeader = true;
      inKey = false;
    }
    if (isHeader) {
      // A file that is taken away has its name only on the side it had before.
      const path = /^(?:\+\+\+|---) (?:[abciw]\/)?(.*)$/.exec(line)?.[1];
      if (path !== undefined && path !== '/dev/null') isPlain = PLAIN_FILES.test(path);
      if (!line.startsWith('@@')) return line;
      isHeader = false;
    }
    const begins = KEY_BEGINS.test(line);
    const known = values.reduce((rest, value) => rest.replaceAll(value, HIDDEN), line);
    const shown = inKey ? `${line.slice(0, 1)}${HIDDEN}` : hideLine(known, isPlain);
    inKey = (inKey || begins) && !KEY_ENDS.test(line);
    if (shown !== line) hidden++;
    return shown;
  });
  return { text: lines.join('\n'), hidden };
}

function hideLine(line: string, isPlain: boolean): string {
  const bare = isPlain ? line.replace(BARE, hideBare) : line;
  const quoted = bare.replace(
    QUOTED,
    (whole, around: string, name: string, is: string, quote: string, value: string) =>
      isSecret(name, value) ? `${around}${name}${around}${is}${quote}${HIDDEN}${quote}` : whole,
  );
  return quoted
    .replace(LOGIN, `$1${HIDDEN}@`)
    .replace(WORD, (word) => (isPlainWord(word) || !looksSecret('', word) ? word : HIDDEN));
}

/** What is hidden already, and the checksums that lock files are full of. */
function isPlainWord(word: string): boolean {
  return word.includes(HIDDEN) || /^sha(1|256|384|512)[-:][A-Za-z0-9+/=]+$/.test(word);
}

/** A checksum is none, unless it is called one. */
function isSecret(name: string, value: string): boolean {
  return looksSecret(name, value) && (!isPlainWord(value) || looksSecret(name, 'anything'));
}

function hideBare(whole: string, head: string, name: string, is: string, value: string): string {
  // Words that only stand side by side are prose, except where netrc and its like pair them.
  if (is.trim() === '' && !/^(password|passwd|secret|token|_authToken)$/i.test(name)) return whole;
  return isSecret(name, value) ? `${head}${name}${is}${HIDDEN}` : whole;
}
