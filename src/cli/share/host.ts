/** The process that runs the servers: takes in the clients of the others, each at the endpoint it asks for. */
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import * as z from 'zod';
import { fromUnknown } from '../../errors/from-unknown.ts';
import type { Gateway } from '../../gateway.ts';
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import { type StdioServing, serveStdio } from '../../transport/stdio.ts';
import { type Listening, readGreeting, say } from './socket.ts';

/** What somebody says who wants to be taken in: the address of an endpoint. */
export const GREETING = z.object({ path: z.string().max(500), profile: z.string().max(200).optional() });

/** What is said back: welcome, or why not. */
export const REPLY = z.object({ refused: z.string().optional() });

/** How long somebody may take to say what they want. */
const GREETING_MS = 2_000;

/** Takes others in until it is disposed; calls in flight are let finish for a while. */
export function hostOthers(listening: Listening, gateway: Gateway): AsyncDisposable {
  const serving = new Map<Socket, StdioServing>();

  async function take(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy());
    const greeting = GREETING.safeParse(await readGreeting(socket, GREETING_MS));
    if (!greeting.success) {
      socket.destroy();
      return;
    }
    const endpoint = toEndpoint(greeting.data, socket, gateway);
    if (!endpoint) return;
    say(socket, {});
    const { sessions, feed } = gateway;
    const onClosed = () => {
      serving.delete(socket);
      socket.end();
    };
    const principal = LOCAL_PRINCIPAL;
    const serve = { input: socket, output: socket, sessions, feed, endpoint, principal, onClosed };
    serving.set(socket, serveStdio(serve));
    socket.resume();
  }

  listening.onConnection((socket) => void take(socket));
  return {
    async [Symbol.asyncDispose]() {
      listening.close();
      await Promise.all([...serving.values()].map((one) => one.stop()));
      for (const socket of serving.keys()) socket.destroy();
      await rm(listening.address, { force: true });
    },
  };
}

function toEndpoint({ path, profile }: z.infer<typeof GREETING>, socket: Socket, gateway: Gateway) {
  try {
    return gateway.sessions.endpointOf(path, profile);
  } catch (error) {
    say(socket, { refused: fromUnknown(error).message });
    socket.end();
    return undefined;
  }
}
