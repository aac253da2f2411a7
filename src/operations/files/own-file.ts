/** Whether an edit may go into the configuration file in use, which may be one that other programs read too. */
import { basename } from 'node:path';
import { CLIENTS_FILE } from '../../config/clients-file.ts';
import type { ConfigEdit } from '../../config/config-file.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { toShellWord } from '../shown/quote.ts';

/** Refuses edits of anything but servers when the file in use is one that other programs read as well. */
export function refuseForeignEdits(file: string, edits: readonly ConfigEdit[]): void {
  if (basename(file) !== CLIENTS_FILE) return;
  const strange = edits.find(({ path }) => path[0] !== 'mcpServers');
  if (!strange) return;
  const key = strange.path.join('.');
  throw new GatewayError(
    'FILE_REFUSED',
    `${key} cannot be written to ${file}: other programs read that file and know only its mcpServers; leave --config out, take its servers into thimble.jsonc with thimble config migrate ${toShellWord(file)}, and try again`,
    { data: { file, key } },
  );
}
