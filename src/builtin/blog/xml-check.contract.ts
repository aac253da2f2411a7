/** A strict reader of XML for tests: throws at the first thing that is not well formed. */

/** An element with its attributes, children and text. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

interface Building {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly children: Building[];
  text: string;
}

const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
const TOKEN = new RegExp(
  `<!\\[CDATA\\[(?<cdata>[\\s\\S]*?)\\]\\]>|</(?<close>${NAME})\\s*>|<(?<open>${NAME})(?<attributes>(?:\\s+${NAME}="[^"<]*")*)\\s*(?<empty>/?)>|(?<text>[^<]+)`,
  'uy',
);
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The root element of a document. */
export function parseXml(xml: string): XmlElement {
  if (FORBIDDEN.test(xml)) throw new Error('a character that XML does not have');
  const head = /^<\?xml version="1\.0" encoding="utf-8"\?>\s*/.exec(xml);
  if (!head) throw new Error('no declaration');
  const top: Building = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  TOKEN.lastIndex = head[0].length;
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(xml);
    if (!match?.groups) throw new Error(`not well formed at ${JSON.stringify(xml.slice(at, at + 80))}`);
    take(open, match.groups);
  }
  const [root] = top.children;
  if (open.length !== 1 || !root || top.children.length !== 1 || top.text.trim() !== '')
    throw new Error('not one root');
  return root;
}

/** The children of an element with a name. */
export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

function take(open: Building[], groups: Record<string, string | undefined>): void {
  const [current] = open as [Building];
  if (groups['cdata'] !== undefined) current.text += groups['cdata'];
  else if (groups['text'] !== undefined) {
    if (groups['text'].includes(']]>')) throw new Error('the end of a CDATA section in text');
    current.text += decode(groups['text']);
  } else if (groups['close'] !== undefined) {
    if (current.name !== groups['close']) throw new Error(`${groups['close']} closes ${current.name}`);
    open.shift();
  } else {
    const element = {
      name: groups['open'] ?? '',
      attributes: toAttributes(groups['attributes'] ?? ''),
      children: [],
      text: '',
    };
    current.children.push(element);
    if (groups['empty'] === '') open.unshift(element);
  }
}

function toAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/\s([^\s=]+)="([^"]*)"/g)) {
    if (name in attributes) throw new Error(`${name} twice`);
    attributes[name] = decode(value);
  }
  return attributes;
}

function decode(text: string): string {
  return text.replaceAll(/&([^;\s]*;?)/g, (_, name: string) => {
    const known = ENTITIES[name.slice(0, -1)];
    if (!name.endsWith(';') || known === undefined) throw new Error(`the entity &${name}`);
    return known;
  });
}
