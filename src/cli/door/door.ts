/** The door of a process that runs servers: people ask about them there, and clients of other processes come in. */
import type { Socket } from 'node:net';
import * as z from 'zod';
import { fromUnknown } from '../../errors/from-unknown.ts';
import type { Gateway } from '../../gateway.ts';
import { OWNER } from '../../model/principal.ts';
import { type StdioServing, serveStdio } from '../../transport/stdio.ts';
import { createReceipts } from '../host/received.ts';
import { answerQuestion, QUESTION } from './questions.ts';
import { openRunning } from './running.ts';
import { type Listening, listen, readLine, say } from './socket.ts';

/** What somebody says who wants to be served: the address of an endpoint. */
const WISH = z.object({ path: z.string().max(500), profile: z.string().max(200).optional() });

/** What is said back: welcome, or why not. */
export const REPLY = z.object({ refused: z.string().optional() });

/** How long somebody may take to say what they want, and in how many bytes. */
const GREETING_MS = 2_000;
const GREETING_LIMIT = 8_192;

/** Whose door it is. */
export interface DoorParts {
  readonly gateway: Gateway;
  readonly home: string;
  /** The command the process was started with. */
  readonly command: string;
  /** Where it serves HTTP, if it does. */
  readonly url?: string | undefined;
  /** A socket that listens already. */
  readonly listening?: Listening | undefined;
}

/** Opens the door until it is disposed, once or more often; calls in flight are then let finish for a while. */
export async function openDoor({
  gateway,
  home,
  command,
  url,
  listening: given,
}: DoorParts): Promise<AsyncDisposable> {
  // Where no socket can be made nobody can ask, and everything else works.
  const listening = given ?? (await listen(home).catch(() => undefined));
  if (!listening) return { async [Symbol.asyncDispose]() {} };
  const { address } = listening;
  const running = openRunning(gateway.store);
  const serving = new Map<Socket, StdioServing>();
  if (gateway.store.degraded === undefined) {
    const started_at = new Date().toISOString();
    const row = { address, pid: process.pid, command, started_at, url: url ?? null };
    await running.add(row).catch(() => {});
  }
  let closed: Promise<void> | undefined;
  const isClosed = () => closed !== undefined;
  listening.onConnection((socket) => void take(socket, gateway, serving, isClosed));
  async function close(): Promise<void> {
    await listening?.close();
    await Promise.all([...serving.values()].map((one) => one.stop()));
    for (const socket of serving.keys()) socket.destroy();
    // A store that cannot be written now is cleaned by whoever asks next.
    await running.remove(address).catch(() => {});
  }
  return { [Symbol.asyncDispose]: () => (closed ??= close()) };
}

async function take(
  socket: Socket,
  gateway: Gateway,
  serving: Map<Socket, StdioServing>,
  isClosed: () => boolean,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const greeting = await readLine(socket, GREETING_MS, GREETING_LIMIT);
  // Nobody would let finish what is begun now.
  if (isClosed()) return void socket.destroy();
  const question = QUESTION.safeParse(greeting);
  if (question.success) {
    const answer = answerQuestion(question.data, gateway);
    say(socket, await answer.catch((error: unknown) => ({ error: fromUnknown(error).message })));
    socket.end();
    return;
  }
  const wish = WISH.safeParse(greeting);
  if (wish.success) serve(wish.data, socket, gateway, serving);
  else socket.destroy();
}

function serve(
  { path, profile }: z.infer<typeof WISH>,
  socket: Socket,
  { sessions, feed }: Gateway,
  serving: Map<Socket, StdioServing>,
): void {
  try {
    const endpoint = sessions.endpointOf(path, profile);
    say(socket, {});
    const onClosed = () => {
      serving.delete(socket);
      socket.end();
    };
    const streams = { input: socket, output: socket };
    const principal = OWNER;
    serving.set(
      socket,
      serveStdio({ ...streams, sessions, feed, endpoint, principal, onClosed, onLine: createReceipts() }),
    );
    socket.resume();
  } catch (error) {
    say(socket, { refused: fromUnknown(error).message });
    socket.end();
  }
}
