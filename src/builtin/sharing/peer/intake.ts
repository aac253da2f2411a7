/** Takes in what a contact sends: kept first, acknowledged then; files in pieces that survive an interruption. */
import type { Sharing } from '../context.ts';
import type { Arriving } from '../files.ts';
import { completeFile, findReceived, takeIn, toArrivingName, toReceivedName } from '../rows/received.ts';
import type { ItemMessage } from './messages.ts';
import type { Mouth } from './mouth.ts';

/** The receiving half of a conversation. */
export interface Intake {
  item(message: ItemMessage): Promise<void>;
  bytes(id: string, bytes: Uint8Array): Promise<void>;
  end(id: string): Promise<void>;
  /** Lets go of a file that is half here; its bytes stay. */
  close(): Promise<void>;
}

/** A file on its way in. */
interface Transfer {
  readonly id: string;
  readonly size: number;
  readonly sha256: string;
  readonly file: Arriving;
}

/** Creates it for one contact. */
export function createIntake(sharing: Sharing, contactId: number, mouth: Mouth): Intake {
  let transfer: Transfer | undefined;
  const { files } = sharing;
  const ack = (id: string) => mouth.say({ t: 'ack', id });

  return {
    async item(message) {
      // A store that is locked or a full disk here are no fault of theirs: they keep it and try again.
      const intake = await takeIn(sharing, contactId, message).catch(() => 'unavailable' as const);
      if (intake === 'done') return ack(message.id);
      if (intake !== 'file') return mouth.say({ t: 'nack', id: message.id, reason: intake });
      await guard(message.id, () => begin(message));
    },
    async bytes(id, bytes) {
      if (transfer?.id !== id || transfer.file.size + bytes.length > transfer.size) return;
      const { file } = transfer;
      await guard(id, () => file.write(bytes));
    },
    end: (id) => guard(id, () => finish(id)),
    close,
  };

  async function begin(message: ItemMessage): Promise<void> {
    await close();
    if (message.kind !== 'item' || !message.file) return;
    const { id, file: promised } = message;
    const known = await findReceived(sharing.db, contactId, id);
    // The promise that counts is the first one: it was measured against the limits.
    if (known?.file_sha256 !== promised.sha256 || known.size < promised.size)
      return mouth.say({ t: 'nack', id, reason: 'invalid' });
    const file = await files.resume(toArrivingName(contactId, id));
    transfer = { ...promised, id, file };
    if (file.size > promised.size) await file.clear();
    await mouth.say({ t: 'want', id, offset: file.size });
  }

  async function finish(id: string): Promise<void> {
    if (transfer?.id !== id) return mouth.say({ t: 'nack', id, reason: 'unavailable' });
    const { file, size, sha256 } = transfer;
    const isWhole = file.size === size;
    await close();
    const to = toReceivedName({ contact_id: contactId, item_id: id, file_sha256: sha256 });
    const from = toArrivingName(contactId, id);
    if (!isWhole || !(await files.finish(from, to, sha256))) return again(id, size, sha256);
    const outcome = await completeFile(sharing, contactId, id);
    if (outcome !== 'held') await files.remove('received', to);
    if (outcome === 'unavailable') return mouth.say({ t: 'nack', id, reason: outcome });
    // Revoked while it arrived: it is not kept, and nothing more is expected of them.
    await ack(id);
  }

  /** Something is wrong with the bytes: all of them are asked for anew. */
  async function again(id: string, size: number, sha256: string): Promise<void> {
    const file = await files.resume(toArrivingName(contactId, id));
    await file.clear();
    transfer = { id, size, sha256, file };
    await mouth.say({ t: 'want', id, offset: 0 });
  }

  async function guard(id: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch {
      await close().catch(() => {});
      await mouth.say({ t: 'nack', id, reason: 'unavailable' });
    }
  }

  async function close(): Promise<void> {
    const { file } = transfer ?? {};
    transfer = undefined;
    await file?.close();
  }
}
