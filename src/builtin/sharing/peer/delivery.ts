/** Brings what waits for a contact to them: in order, one at a time in each lane, until they say that they have it. */
import type { JsonValue } from '../../../model/json.ts';
import type { SharedKind } from '../../shared-item.ts';
import type { Sharing } from '../context.ts';
import { CHUNK_BYTES, PUT_OFF_MS } from '../limits.ts';
import {
  findNext,
  isPending,
  type Lane,
  noteOutcome,
  notePutOff,
  noteSent,
  type Outgoing,
} from '../rows/outbox.ts';
import type { Answer, Answers } from './answers.ts';
import type { Bell } from './bell.ts';
import { type ItemMessage, passes } from './messages.ts';
import type { Mouth } from './mouth.ts';

/** What a lane needs of a conversation. */
export interface DeliveryParts {
  readonly sharing: Sharing;
  readonly contactId: number;
  readonly mouth: Mouth;
  readonly answers: Answers;
  readonly gone: AbortSignal;
}

/** Between two looks whether a file is still to be sent. */
const CHUNKS_BETWEEN_LOOKS = 64;
/** A file that arrives damaged is sent again this often. */
const MAX_SENDINGS = 3;

/** Delivers until the peer is gone. */
export async function runLane(parts: DeliveryParts, lane: Lane, bell: Bell): Promise<void> {
  const { sharing, contactId, gone } = parts;
  // What has no room there now is tried again later, and holds up nothing meanwhile.
  const putOff = new Map<number, number>();
  while (!gone.aborted) {
    const now = sharing.clock.now();
    const later = [...putOff].filter(([, until]) => until > now).map(([seq]) => seq);
    const next = await findNext(sharing, contactId, lane, later);
    if (!next) await bell.wait(gone);
    else if (!(await deliver(parts, next))) putOff.set(next.seq, now + PUT_OFF_MS);
  }
}

/** True when the item is dealt with, false when it is put off. */
async function deliver(parts: DeliveryParts, row: Outgoing): Promise<boolean> {
  const { sharing, mouth, answers } = parts;
  if (!(await noteSent(sharing, row.seq))) return true;
  const answer = answers.next(row.item_id);
  await Promise.all([mouth.say(toMessage(row)), answer]);
  return settle(parts, row, await answer);
}

async function settle(parts: DeliveryParts, row: Outgoing, answer: Answer, sendings = 0): Promise<boolean> {
  const { sharing } = parts;
  if (answer.t === 'ack') {
    await noteOutcome(sharing, row, { state: 'delivered' });
    return true;
  }
  if (answer.t === 'nack') {
    if (passes(answer.reason)) {
      await notePutOff(sharing, row.seq, answer.reason);
      return false;
    }
    await noteOutcome(sharing, row, { state: 'failed', reason: answer.reason });
    return true;
  }
  if (row.file_sha256 === null || answer.offset > row.file_size || sendings === MAX_SENDINGS) {
    await noteOutcome(sharing, row, { state: 'failed', reason: 'invalid' });
    return true;
  }
  const next = await trySendFile(parts, row, answer.offset);
  return next === undefined || settle(parts, row, next, sendings + 1);
}

/** Undefined when there is nothing more to send: it was withdrawn, or our copy of it is gone. */
async function trySendFile(parts: DeliveryParts, row: Outgoing, offset: number): Promise<Answer | undefined> {
  try {
    return await sendFile(parts, row, offset);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await noteOutcome(parts.sharing, row, { state: 'failed', reason: 'missing' });
    return undefined;
  }
}

/** Undefined when the file was withdrawn on its way. */
async function sendFile(parts: DeliveryParts, row: Outgoing, offset: number): Promise<Answer | undefined> {
  const { sharing, mouth, answers } = parts;
  let chunks = 0;
  if (offset < row.file_size) {
    for await (const piece of sharing.files.read(row.item_id, offset)) {
      for (let at = 0; at < piece.length; at += CHUNK_BYTES)
        await mouth.sayBytes(row.item_id, piece.subarray(at, at + CHUNK_BYTES));
      chunks++;
      if (chunks % CHUNKS_BETWEEN_LOOKS === 0 && !(await isPending(sharing, row.seq))) return undefined;
    }
  }
  const answer = answers.next(row.item_id);
  await Promise.all([mouth.say({ t: 'end', id: row.item_id }), answer]);
  return answer;
}

function toMessage(row: Outgoing): ItemMessage {
  const common = { t: 'item' as const, id: row.item_id };
  const body = JSON.parse(row.body) as JsonValue;
  if (row.kind === 'item') {
    const { file_name, file_sha256, file_size } = row;
    return {
      ...common,
      kind: 'item',
      type: row.share_type as SharedKind,
      title: row.title,
      permissions: row.permissions ?? 'read',
      content: body,
      ...(file_sha256 === null
        ? {}
        : { file: { name: file_name ?? '', size: file_size, sha256: file_sha256 } }),
    };
  }
  // The other bodies are members of the message, as the tools wrote them.
  return { ...common, kind: row.kind, ...(body as object) } as ItemMessage;
}
