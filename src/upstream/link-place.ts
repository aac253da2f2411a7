/** Opens a link for an instance; where that starts a program, it takes a place until the program has ended. */
import type { Leave } from './bulkhead.ts';
import type { Tenant } from './capacity.ts';
import type { InstanceOptions } from './instance-options.ts';
import type { ConnectorPorts, Link } from './upstream.ts';

type Parts = Pick<
  InstanceOptions,
  'connector' | 'resolved' | 'secrets' | 'baseEnv' | 'clock' | 'credentials' | 'capacity' | 'groups'
>;

/** Starts or dials the server of an instance. */
export async function openInstanceLink(parts: Parts, tenant: Tenant, signal: AbortSignal): Promise<Link> {
  const { connector, resolved, secrets, baseEnv, clock, credentials, capacity, groups } = parts;
  const ports = { signal, secrets, baseEnv, clock, credentials };
  if (!connector.spawns) return connector.open(resolved, ports);
  const leave: Leave = await capacity.enter(tenant, signal);
  const processes: ConnectorPorts['processes'] = {
    started: (leader, mark) => groups.started(leader, mark),
    endStrays: (mark) => groups.endStrays(mark),
    ended(leader) {
      groups.ended(leader);
      leave();
    },
  };
  try {
    return await connector.open(resolved, { ...ports, processes });
  } catch (error) {
    leave();
    throw error;
  }
}
