/** `thimble serve`: the gateway over HTTP on this machine. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { type Command, type CommandInput, printAnswer, textOption } from '../command.ts';
import { openDoor } from '../door/door.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { GATEWAY_OPTIONS, openConfiguredGateway, toSuggestedPath } from '../gateway/configured-gateway.ts';
import { openOwnersDoor } from '../house/manage.ts';
import { toWelcome } from '../output/welcome.ts';

/** Serves until it is asked to stop. */
export const serve: Command = {
  name: 'serve',
  words: [],
  summary: 'serve all configured servers as one, over HTTP on this machine',
  options: [
    ...GATEWAY_OPTIONS,
    { flags: '--host <address>', summary: 'address to listen on (127.0.0.1)' },
    { flags: '--port <number>', summary: 'port to listen on (7420; 0 takes any free one)' },
    { flags: '--json', summary: 'what is served and where, as JSON, once it is ready' },
  ],
  examples: ['thimble serve', 'thimble serve --config ~/work/thimble.jsonc --port 8000'],
  async run(input, ports) {
    const port = toPort(input);
    await using running = await openConfiguredGateway(input, ports);
    const { gateway, configPath, looked, home, place } = running;
    const server = await gateway.listen({
      host: textOption(input, 'host'),
      port,
      ...(await openOwnersDoor(place, gateway.store)),
    });
    await using door = await openDoor({ gateway, home, command: 'serve', url: server.url });
    try {
      await gateway.catalog.settled();
      const lines = toWelcome({
        url: server.url,
        upstreams: gateway.upstreams.all,
        configPath,
        looked,
        suggestedPath: toSuggestedPath(ports),
        home,
        homeGiven: textOption(input, 'home') !== undefined || Boolean(ports.env['THIMBLE_HOME']),
        program: ports.program,
      });
      const upstreams = gateway.upstreams.all.map(({ config: { id, enabled }, manifest }) => ({
        id,
        enabled,
        tools: manifest?.lists.tool.length ?? null,
      }));
      const facts = {
        url: server.url,
        endpoint: `${server.url}/mcp`,
        configuration: configPath ?? null,
        home,
      };
      printAnswer(input, ports, { ...facts, upstreams }, () => lines.join('\n'));
      await ports.stopped;
    } finally {
      // Both at once: each lets its calls in flight finish for a while.
      await Promise.all([server.close(), door[Symbol.asyncDispose]()]);
    }
    return EXIT_CODES.ok.code;
  },
};

function toPort(input: CommandInput): number | undefined {
  const text = textOption(input, 'port');
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new GatewayError('INVALID_PARAMS', `--port takes a number from 0 to 65535, not "${text}"`);
}
