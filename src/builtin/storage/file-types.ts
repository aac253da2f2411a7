/** Which kinds of file are taken: everything but programs, told by what they are called and by how they begin. */
import { extname } from 'node:path';
import { toTypeError } from './refusals.ts';

/** Types that say their content is meant to be run. */
const BLOCKED_TYPES: ReadonlySet<string> = new Set([
  'application/x-executable',
  'application/x-elf',
  'application/x-sharedlib',
  'application/x-mach-binary',
  'application/x-dosexec',
  'application/x-msdos-program',
  'application/x-msdownload',
  'application/vnd.microsoft.portable-executable',
  'application/x-ms-installer',
  'application/x-msi',
  'application/x-sh',
  'application/x-shellscript',
  'text/x-sh',
  'text/x-shellscript',
  'application/x-bat',
  'application/bat',
  'application/x-csh',
]);

const TYPE_BY_ENDING: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.tar': 'application/x-tar',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

const UNKNOWN_TYPE = 'application/octet-stream';

/** The form of a type without parameters. */
export const MIME_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

/** How many first bytes tell a program. */
export const HEAD_SIZE = 64;

const MACH_O = new Set(['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe', 'bebafeca']);

/** The type without parameters and in small letters, or undefined when the text is none. */
export function parseMimeType(text: string): string | undefined {
  const type = text.split(';')[0]?.trim().toLowerCase() ?? '';
  return MIME_TYPE.test(type) ? type : undefined;
}

/** The type a file of that name most likely has. */
export function guessMimeType(name: string): string {
  return TYPE_BY_ENDING[extname(name).toLowerCase()] ?? UNKNOWN_TYPE;
}

/** Refuses a type that says its content is a program. */
export function checkMimeType(type: string): void {
  if (BLOCKED_TYPES.has(type)) throw toTypeError(`declared as ${type}`);
}

/** Refuses a content whose first bytes are those of a program. */
export function checkHead(head: Uint8Array): void {
  const what = findProgram(head);
  if (what) throw toTypeError(what);
}

function findProgram(head: Uint8Array): string | undefined {
  const text = Buffer.from(head).toString('latin1');
  if (text.startsWith('\x7fELF')) return 'an ELF program';
  if (MACH_O.has(Buffer.from(head.subarray(0, 4)).toString('hex'))) return 'a Mach-O program or a Java class';
  // Text may well begin with these two letters; the head of a program has zero bytes too.
  if (text.startsWith('MZ') && text.includes('\0')) return 'a DOS or Windows program';
  // A path follows in a script; in Rust a bracket does.
  if (/^#![ \t]*\//.test(text)) return 'a script with an interpreter line';
  return undefined;
}
