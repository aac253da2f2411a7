/** Which addresses are inside: this machine, its network, and whatever else no public server should send us to. */
import { BlockList, isIP } from 'node:net';

const INSIDE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  INSIDE.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  // Unspecified, loopback and the old way to write an IPv4 address.
  ['::', 96],
  // Tunnels, in which an IPv4 address may hide.
  ['2001::', 32],
  ['2002::', 16],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  INSIDE.addSubnet(network, prefix, 'ipv6');

/** Both carry an IPv4 address in their last 32 bits. */
const CARRIERS = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** True for an IP address that is not out in the public network; anything that is no address counts as inside. */
export function isInsideAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const version = isIP(bare);
  if (version === 4) return INSIDE.check(bare, 'ipv4');
  if (version !== 6) return true;
  // URLs spell an address in one way only.
  const spelt = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [, high, low] = CARRIERS.exec(spelt) ?? [];
  if (high === undefined || low === undefined) return INSIDE.check(spelt, 'ipv6');
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return INSIDE.check([24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.'), 'ipv4');
}
