/** What is known of clients by the name they introduce themselves with. */

/** How a client treats tools. */
export interface ClientClass {
  /** True when it shows its model only those tools that are looked for. */
  readonly defers: boolean;
  /** The most tools it takes, where there is a limit. */
  readonly maxTools?: number;
}

const PLAIN: ClientClass = { defers: false };

/** By the beginning of the name, in lower case; the longest that fits counts. */
const KNOWN: Readonly<Record<string, ClientClass>> = {
  'claude-code': { defers: true },
  copilot: { defers: true },
  'github-copilot': { defers: true },
  openai: { defers: true },
  cursor: { defers: false, maxTools: 40 },
  'visual studio code': { defers: false, maxTools: 128 },
  vscode: { defers: false, maxTools: 128 },
  windsurf: { defers: false, maxTools: 100 },
};

/** The class of a client; one that is not known gets the plain rule. */
export function toClientClass(name: string): ClientClass {
  const lower = name.toLowerCase();
  const [longest] = Object.keys(KNOWN)
    .filter((known) => lower.startsWith(known))
    .sort((a, b) => b.length - a.length);
  return (longest === undefined ? undefined : KNOWN[longest]) ?? PLAIN;
}
