/** Strings that have broken pages before; the well-known list is used where it lies beside the checkout. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hostileStrings } from '../../src/builtin/builtin.contract.ts';

const LIST =
  process.env['BLNS_FILE'] ??
  fileURLToPath(new URL('../../../shared/data/suites/blns/blns.json', import.meta.url));

/** Each tries to set a mark on the window in another way. */
export const SCRIPT_ATTEMPTS: readonly string[] = [
  '<script>window.ran=1</script>',
  '<SCRIPT SRC=/blog/ran.js></SCRIPT>',
  '<scr<script>ipt>window.ran=1</scr</script>ipt>',
  '<img src=x onerror=window.ran=1>',
  '<img src="x" onload="window.ran=1" onerror="window.ran=1">',
  '<img/src/onerror=window.ran=1>',
  '<img src="x`" onerror="window.ran=1">',
  '<svg onload=window.ran=1>',
  '<svg><script>window.ran=1</script></svg>',
  '<svg><style><img src=x onerror=window.ran=1></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.ran=1&gt;">',
  '<iframe src="javascript:parent.ran=1"></iframe>',
  '<iframe srcdoc="<script>parent.ran=1</script>"></iframe>',
  '<object data="javascript:window.ran=1"></object>',
  '<embed src="javascript:window.ran=1">',
  '<base href="javascript:/a/-window.ran=1///">',
  '<meta http-equiv="refresh" content="0;url=javascript:window.ran=1">',
  '<link rel="stylesheet" href="data:text/css,*{display:none}">',
  '<style>@import "https://example.org/x.css";</style>',
  '<form action="javascript:window.ran=1"><button>go</button></form>',
  '<input autofocus onfocus=window.ran=1>',
  '<details open ontoggle=window.ran=1><summary>x</summary></details>',
  '<video src=x onerror=window.ran=1></video>',
  '<audio src=x onerror=window.ran=1></audio>',
  '<body onload=window.ran=1>',
  '<marquee onstart=window.ran=1>x</marquee>',
  '<p style="background:url(javascript:window.ran=1)">x</p>',
  '<a href="javascript:window.ran=1">x</a>',
  '<a href="JaVaScRiPt:window.ran=1">x</a>',
  '<a href="java\tscript:window.ran=1">x</a>',
  '<a href="&#106;avascript:window.ran=1">x</a>',
  '<a href=" &#14; javascript:window.ran=1">x</a>',
  '<a href="data:text/html,<script>window.ran=1</script>">x</a>',
  '<a href="vbscript:x">x</a>',
  '[x](javascript:window.ran=1)',
  '[x](JAVASCRIPT&colon;window.ran=1)',
  '[x](data:text/html;base64,PHNjcmlwdD53aW5kb3cucmFuPTE8L3NjcmlwdD4=)',
  '![x](javascript:window.ran=1)',
  '![x"onerror="window.ran=1](x)',
  '![x](x"onerror="window.ran=1)',
  '[x](x "t" onmouseover="window.ran=1")',
  '<javascript:window.ran=1>',
  '[a]: javascript:window.ran=1\n\n[a]',
  '```"><script>window.ran=1</script>\nx\n```',
  '`<script>window.ran=1</script>`',
  '| <script>window.ran=1</script> | b |\n|---|---|\n| <img src=x onerror=window.ran=1> | d |',
  '</title><script>window.ran=1</script>',
  '</textarea></style></noscript><script>window.ran=1</script>',
  '"><script>window.ran=1</script>',
  "'><script>window.ran=1</script>",
  '" autofocus onfocus="window.ran=1',
  ']]><script>window.ran=1</script><![CDATA[',
  ']]>]]><x:script xmlns:x="http://www.w3.org/1999/xhtml">window.ran=1</x:script>',
  '<!--><script>window.ran=1</script>-->',
  '</div></article></main></body></html><script>window.ran=1</script>',
  '<template><script>window.ran=1</script></template>',
  '<a id="ran" name="ran">x</a><form name="body"><input name="cookie"></form>',
];

/** Everything to try. */
export function readHostileStrings(): readonly string[] {
  const known = existsSync(LIST) ? (JSON.parse(readFileSync(LIST, 'utf8')) as readonly string[]) : [];
  return [...SCRIPT_ATTEMPTS, ...hostileStrings(), ...known];
}
