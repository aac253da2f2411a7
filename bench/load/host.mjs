/** A gateway in a process of its own that tells its parent what it holds; started by main.mjs. */
import { readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const built = process.env.THIMBLE_INDEX ?? fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const { createGateway } = await import(pathToFileURL(built).href);
const upstream = fileURLToPath(new URL('../overhead/upstream.mjs', import.meta.url));
const count = Number(process.argv[2]);

const toServer = (_, at) => [
  `s${at}`,
  {
    command: process.execPath,
    args: [upstream, '--name', `s${at}`, '--tools', '5', '--delay', String((at % 5) * 10)],
  },
];
const faults = [];
const gateway = await createGateway(
  {
    builtin: false,
    exposure: { mode: 'direct' },
    mcpServers: Object.fromEntries(Array.from({ length: count }, toServer)),
  },
  {
    onOpen: (feed) =>
      feed.on((event) => {
        if (event.type === 'fault' || event.type === 'request.failed') faults.push(String(event.where));
      }),
  },
);
const server = await gateway.listen({ host: '127.0.0.1', port: 0 });
// The catalogue itself waits only for a while.
await Promise.all(gateway.upstreams.all.map(({ firstContact }) => firstContact));

function inspect() {
  return {
    sessions: gateway.sessions.live,
    files: readdirSync('/proc/self/fd').length,
    handles: process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length,
    timers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
    residentMb: process.memoryUsage().rss / 1024 / 1024,
    faults,
  };
}

process.on('message', async (word) => {
  if (word === 'inspect') process.send({ inspect: inspect() });
  if (word !== 'stop') return;
  await server.close();
  await gateway[Symbol.asyncDispose]();
  process.disconnect();
});
process.send({ url: server.url });
