/** `thimble guide`: the context a person keeps for their AI clients, as one document. */
import { PLATFORMS, toGuide } from '../../builtin/memory/context/guide.ts';
import { openMemory } from '../../builtin/memory/context.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { type Command, type CommandInput, JSON_OPTION, printAnswer, textOption } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { GATEWAY_OPTIONS, openConfiguredGateway } from '../gateway/configured-gateway.ts';

const DEFAULT_PLATFORM = 'generic';

/** Prints the guide. */
export const guide: Command = {
  name: 'guide',
  words: [],
  summary: 'print how AI clients are asked to behave, from the context sections you keep',
  options: [
    ...GATEWAY_OPTIONS,
    {
      flags: '--platform <name>',
      summary: `the client it is for: ${PLATFORMS.join(', ')} (${DEFAULT_PLATFORM})`,
    },
    { flags: '--memories', summary: 'with what is remembered right now' },
    JSON_OPTION,
  ],
  examples: ['thimble guide', 'thimble guide --platform chatgpt --device laptop > AGENTS.md'],
  async run(input, ports) {
    const platform = toPlatform(input);
    await using running = await openConfiguredGateway(input, ports);
    const { gateway, config, device } = running;
    const memory = await openMemory({ store: gateway.store, namespace: config.namespace, device });
    const withMemories = input.options['memories'] === true;
    const text = await toGuide(memory, { platform, device, withMemories });
    printAnswer(input, ports, { platform, text }, () => text);
    return EXIT_CODES.ok.code;
  },
};

function toPlatform(input: CommandInput): string {
  const platform = textOption(input, 'platform') ?? DEFAULT_PLATFORM;
  if (PLATFORMS.includes(platform)) return platform;
  throw new GatewayError(
    'INVALID_PARAMS',
    `--platform takes ${PLATFORMS.join(', ')}, not "${platform}"${didYouMean(platform, PLATFORMS)}`,
  );
}
