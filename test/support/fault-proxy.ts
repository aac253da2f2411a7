/** A TCP proxy with hands: it delays, resets, slices, cuts and swallows what goes through it. */
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What the proxy does to bytes on their way back from the server. */
export interface Fault {
  /** Each piece is held for so long. */
  readonly delayMs?: number;
  /** Bytes go on in pieces of this size. */
  readonly sliceBytes?: number;
  /** After so many bytes the connection is reset. */
  readonly resetAfterBytes?: number;
  /** Connections are taken, and nothing is ever said on them. */
  readonly blackHole?: boolean;
}

/** A running proxy. */
export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** Connections that are open now. */
  readonly open: number;
  /** What happens to every connection from now on, old ones too. */
  fault: Fault;
  /** Refuses connections and cuts those that are open, as a server that is gone. */
  goDown(): Promise<void>;
  /** Listens again, on the same port. */
  comeUp(): Promise<void>;
}

/** Opens a proxy in front of a port of this machine. */
export async function openFaultProxy(target: number): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  let port = 0;
  let server: Server | undefined;

  function relay(client: Socket): void {
    const upstream = connect({ host: '127.0.0.1', port: target });
    let passed = 0;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    client.on('data', (bytes) => {
      if (!proxy.fault.blackHole) upstream.write(bytes);
    });
    let last = Promise.resolve();
    upstream.on('data', (bytes) => {
      last = last.then(() => pass(bytes, client, (sent) => (passed += sent)));
    });
    const end = () => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
      sockets.delete(upstream);
    };
    client.on('close', end);
    upstream.on('close', () => void last.then(end));
  }

  async function pass(bytes: Buffer, client: Socket, count: (sent: number) => number): Promise<void> {
    const { delayMs, sliceBytes, resetAfterBytes, blackHole } = proxy.fault;
    if (blackHole) return;
    const size = sliceBytes ?? bytes.length;
    for (let at = 0; at < bytes.length && !client.destroyed; at += size) {
      if (delayMs) await new Promise((resolve) => setTimeout(resolve, delayMs));
      // A turn between pieces, or the system would put them together again.
      else if (sliceBytes) await new Promise(setImmediate);
      const piece = bytes.subarray(at, at + size);
      const left = (resetAfterBytes ?? 0) - count(0);
      count(piece.length);
      if (resetAfterBytes === undefined || piece.length < left) client.write(piece);
      else client.write(piece.subarray(0, Math.max(0, left)), () => client.resetAndDestroy());
    }
  }

  const proxy: FaultProxy = {
    get port() {
      return port;
    },
    get origin() {
      return `http://127.0.0.1:${port}`;
    },
    get open() {
      return sockets.size;
    },
    fault: {},
    async goDown() {
      const closing = server;
      server = undefined;
      for (const socket of sockets) socket.resetAndDestroy();
      if (closing) await new Promise((resolve) => closing.close(resolve));
    },
    async comeUp() {
      const opening = createServer(relay);
      // Somebody else's connection may have the port for a moment.
      while (!(await isListening(opening, port))) await new Promise((resolve) => setTimeout(resolve, 100));
      const address = opening.address();
      port = typeof address === 'object' && address ? address.port : 0;
      server = opening;
    },
    [Symbol.asyncDispose]: () => proxy.goDown(),
  };
  await proxy.comeUp();
  return proxy;
}

function isListening(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error);
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', failed);
      resolve(true);
    });
  });
}
