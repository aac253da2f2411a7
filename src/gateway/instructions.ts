/** The greeting of aggregated endpoints and of our own servers: the context a person keeps in the memory server. */
import type { BuiltinParts } from '../builtin/builtin.ts';
import type { Instructions } from '../session/instructions.ts';

/** Creates it: every tool is named as it is called there; nothing is said without the memory server. */
export function createInstructions(
  parts: Pick<BuiltinParts, 'store' | 'namespace' | 'device'>,
): Instructions {
  return {
    async text(exposure, view) {
      const own = view.upstreams().filter(({ core }) => core);
      if (own.length === 0) return undefined;
      const { createInstructionSource } = await import('../builtin/memory/context/instructions.ts');
      const ids = new Set(own.map(({ upstream }) => upstream));
      const entries = view.list('tool').filter(({ upstream }) => ids.has(upstream));
      const names = await Promise.all(
        entries.map(async (entry) => [entry.name, await exposure.mention(entry, view)] as const),
      );
      const mentions = new Map(names);
      const text = await createInstructionSource(parts).text((tool) => mentions.get(tool));
      return text === '' ? undefined : text;
    },
  };
}
