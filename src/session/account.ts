/** Hears what clients were given, so that somebody can say what it cost them. */
import type { CallContext } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import type { Definition } from '../model/mcp.ts';

/** Told on the way of a request; takes note and returns at once. */
export interface Account {
  /** A client was shown these tools at an endpoint. */
  listed(context: CallContext, endpoint: string, tools: readonly Definition[]): void;
  /** A client's call of a tool was answered. */
  answered(context: CallContext, endpoint: string, tool: string, result: JsonObject): void;
}
