/** Checks a style sheet somebody brought: it may change how pages look, and fetch or hide nothing. */

const AT_RULES: ReadonlySet<string> = new Set([
  'media',
  'supports',
  'container',
  'keyframes',
  'page',
  'layer',
]);

/** Everything that may stand before a bracket; `url`, `image-set`, `src` and the like are not among them. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...['var', 'env', 'attr', 'calc', 'min', 'max', 'clamp', 'round', 'abs', 'counter', 'counters'],
  ...[
    'rgb',
    'rgba',
    'hsl',
    'hsla',
    'hwb',
    'lab',
    'lch',
    'oklab',
    'oklch',
    'color',
    'color-mix',
    'light-dark',
  ],
  ...['linear-gradient', 'radial-gradient', 'conic-gradient'],
  ...['repeating-linear-gradient', 'repeating-radial-gradient', 'repeating-conic-gradient'],
  ...['repeat', 'minmax', 'fit-content', 'cubic-bezier', 'steps', 'linear'],
  ...[
    'translate',
    'translatex',
    'translatey',
    'scale',
    'scalex',
    'scaley',
    'rotate',
    'skew',
    'skewx',
    'skewy',
  ],
  ...['matrix', 'blur', 'brightness', 'contrast', 'drop-shadow', 'grayscale', 'hue-rotate', 'invert'],
  ...['opacity', 'saturate', 'sepia', 'circle', 'ellipse', 'inset', 'polygon'],
  ...['not', 'is', 'where', 'has', 'lang', 'dir', 'selector'],
  ...['nth-child', 'nth-last-child', 'nth-of-type', 'nth-last-of-type'],
]);

/** Old ways to run something from a style sheet. */
const PROPERTIES: ReadonlySet<string> = new Set(['behavior', '-moz-binding', '-ms-behavior']);

const CLOSES: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' };

/** One thing after the other; whatever none of these takes is a single character. */
const TOKEN =
  /(?<comment>\/\*(?:[^*]|\*(?!\/))*\*\/)|(?<string>"(?:[^"\\\n\r\f]|\\[^\n\r\f])*"|'(?:[^'\\\n\r\f]|\\[^\n\r\f])*')|@(?<at>[-\w]*)|(?<call>[-\w\u0080-\u{10FFFF}]+)\(|(?<word>[-\w\u0080-\u{10FFFF}]+)|(?<other>[\s\S])/gu;

/** What is wrong with a style sheet, each thing once; empty when it may be used. */
export function findCssFaults(css: string): readonly string[] {
  const faults = new Set<string>();
  const open: string[] = [];
  for (const { groups = {} } of css.matchAll(TOKEN)) {
    const fault = toFault(groups) ?? follow(open, groups);
    if (fault !== undefined) faults.add(fault);
  }
  const [missing] = open;
  if (missing !== undefined) faults.add(`a "${missing}" is missing at the end`);
  return [...faults];
}

function toFault({ string, at, call, word, other }: Record<string, string | undefined>): string | undefined {
  if (string?.includes('<')) return 'write \\3c instead of "<" in a string';
  if (at !== undefined && !AT_RULES.has(at.toLowerCase())) return `@${at} is not allowed`;
  if (call !== undefined && !FUNCTIONS.has(call.toLowerCase())) return `${call}() is not allowed`;
  if (word !== undefined && PROPERTIES.has(word.toLowerCase())) return `${word} is not allowed`;
  switch (other) {
    case '\\':
      return 'a backslash is allowed in strings only';
    case '<':
      return '"<" is not allowed; use min-width and max-width in media queries';
    case '"':
    case "'":
      return 'a string does not end on its line';
    default:
      return other !== undefined && /[^\P{Cc}\s]/u.test(other)
        ? 'control characters are not allowed'
        : undefined;
  }
}

/** Keeps count of brackets. */
function follow(open: string[], { call, other }: Record<string, string | undefined>): string | undefined {
  const closing = call === undefined ? CLOSES[other ?? ''] : ')';
  if (closing !== undefined) open.unshift(closing);
  else if (other === '}' || other === ')' || other === ']') {
    if (open[0] !== other) return `a "${other}" closes nothing`;
    open.shift();
  }
  return undefined;
}
