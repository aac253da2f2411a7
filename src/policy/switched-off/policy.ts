/** Keeps tools that the configuration switches off out of every list and every call, and says so to who calls one. */
import { GatewayError } from '../../errors/gateway-error.ts';
import type { Policy } from '../policy.ts';

/** A tool that is switched off keeps its name, so that those of others do not change. */
export const switchedOff: Policy = {
  name: 'switched-off',
  refuses({ switchedOff: isOff, upstream, name }) {
    if (!isOff) return undefined;
    const way = `thimble server enable ${upstream} --tool ${name}`;
    return new GatewayError(
      'TOOL_DISABLED',
      `the tool "${name}" of ${upstream} is switched off; to switch it on: ${way}`,
      { data: { upstream, tool: name } },
    );
  },
};
