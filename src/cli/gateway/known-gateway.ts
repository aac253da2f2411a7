/** Opens a gateway for looking at it: quiet, and only once every server has been heard of. */
import type { Gateway } from '../../gateway.ts';
import type { CommandInput, CommandPorts } from '../command.ts';
import { tellWhenSlow } from '../output/progress.ts';
import { openConfiguredGateway, type RunningGateway } from './configured-gateway.ts';

/** Opens it; undefined when the person gave up while servers were being met for the first time. */
export async function openKnownGateway(
  input: CommandInput,
  ports: CommandPorts,
): Promise<RunningGateway | undefined> {
  const running = await openConfiguredGateway(toQuiet(input), ports);
  const { gateway, configPath, looked } = running;
  try {
    if (configPath === undefined) gateway.feed.publish({ type: 'config.missing', looked });
    if (await meetServers(gateway, ports)) return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
  await running[Symbol.asyncDispose]();
  return undefined;
}

/** Someone who looks wants an answer, not news of servers. */
function toQuiet(input: CommandInput): CommandInput {
  const { verbose, logLevel = verbose === true ? undefined : 'warn' } = input.options;
  return { ...input, options: { ...input.options, logLevel } };
}

/** Waits for servers never met before; false when the person gave up meanwhile. */
function meetServers({ upstreams }: Gateway, ports: CommandPorts): Promise<boolean> {
  const isStrange = () => upstreams.all.filter(({ config, manifest }) => config.enabled && !manifest);
  const met = Promise.all(isStrange().map(({ firstContact }) => firstContact)).then(() => true);
  const toLine = () =>
    `waiting for ${isStrange()
      .map(({ config }) => config.name)
      .join(', ')}`;
  return tellWhenSlow(Promise.race([met, ports.stopped.then(() => false)]), toLine);
}
