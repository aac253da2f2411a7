/** Where a profile is to be had. */
import { toShellWord } from '../../shown/quote.ts';

/** The address of a profile below a gateway's URL. */
export function toAddress(name: string): string {
  return `/mcp?profile=${encodeURIComponent(name)}`;
}

/** The command that serves a profile on stdio. */
export function toCommand(name: string): string {
  return `thimble stdio --profile ${toShellWord(name)}`;
}

/** Both ways, as the end of a sentence. */
export function describeUse(name: string): string {
  return `${toAddress(name)} on the gateway, or ${toCommand(name)}`;
}
