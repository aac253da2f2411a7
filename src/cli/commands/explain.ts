/** `thimble explain`: which mode a client gets at /mcp, and why. */
import { toIdleContext } from '../../session/client-facts.ts';
import type { ModeStates } from '../../session/mode-states.ts';
import { openSurface } from '../../session/surface.ts';
import { type Command, JSON_OPTION, printAnswer, textOption } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { GATEWAY_OPTIONS } from '../gateway/configured-gateway.ts';
import { openKnownGateway } from '../gateway/known-gateway.ts';
import { toNumber } from '../output/table.ts';

/** Says what a client is shown and why. */
export const explain: Command = {
  name: 'explain',
  words: [],
  summary: 'which mode a client gets at /mcp, and why',
  options: [
    ...GATEWAY_OPTIONS,
    { flags: '--client <name>', summary: 'the client, by the name it introduces itself with' },
    { flags: '--profile <tag>', summary: 'as if narrowed to this tag' },
    JSON_OPTION,
  ],
  examples: ['thimble explain', 'thimble explain --client claude-code'],
  async run(input, ports) {
    await using running = await openKnownGateway(input, ports);
    if (!running) return EXIT_CODES.stopped.code;
    const { gateway, config } = running;
    const client = textOption(input, 'client');
    const profile = textOption(input, 'profile');
    const endpoint = gateway.sessions.endpointOf('/mcp', profile);
    const surface = openSurface(endpoint, false, {
      ...gateway.surfaces,
      states: toOnlooking(gateway.surfaces.states),
    });
    const idle = toIdleContext();
    const context = { ...idle, profile, facts: { ...idle.facts, name: client ?? idle.facts.name } };
    const view = surface.view(context);
    const tools = await surface.shown('tool', context);
    const count = await gateway.surfaces.ports.tokens.count(JSON.stringify({ tools }));
    const why = await surface.exposure.explain?.(view);
    const mode = why?.mode ?? config.exposure.mode;
    const figures = { mode, reason: why?.reason ?? 'as configured', shown: tools.length, tokens: count };
    printAnswer(input, ports, { client: client ?? null, ...figures, behind: view.count() }, () =>
      [
        `${client ?? 'A client that is not known'} gets the mode ${config.exposure.mode} at /mcp${why === undefined ? ', as configured' : `, which is ${why.mode} here: ${why.reason}`}.`,
        `It is shown ${toNumber(tools.length)} tools in ${toNumber(count)} tokens; ${toNumber(view.count())} tools are behind them.`,
      ].join('\n'),
    );
    return EXIT_CODES.ok.code;
  },
};

/** What is remembered, without remembering that somebody looked. */
function toOnlooking(states: ModeStates): ModeStates {
  return {
    ...states,
    lasting(endpoint, lifetimeMs) {
      const state = states.lasting(endpoint, lifetimeMs);
      return { ...state, update: async (caller, change) => change(await state.read(caller)) };
    },
  };
}
