/** What `resources/*` answers for a built-in. */
import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { JsonObject } from '../model/json.ts';
import type { Era } from '../model/mcp.ts';
import type { BuiltinResource } from './builtin.ts';

/** A resource as `resources/list` shows it. */
export function toResourceDefinition<Context>({
  uri,
  name,
  title,
  description,
  mimeType,
}: BuiltinResource<Context>): JsonObject {
  return { uri, name, title, description, mimeType };
}

/** Answers `resources/read`. */
export async function readResource<Context>(
  resources: readonly BuiltinResource<Context>[],
  { uri }: JsonObject,
  open: () => Promise<Context>,
  era: Era,
): Promise<JsonObject> {
  const resource = resources.find((candidate) => candidate.uri === uri);
  if (!resource) {
    const hint = didYouMean(
      String(uri),
      resources.map((candidate) => candidate.uri),
    );
    const message = `there is no resource "${String(uri)}" here${hint}`;
    throw new GatewayError(era === 'modern' ? 'INVALID_PARAMS' : 'RESOURCE_NOT_FOUND', message);
  }
  const { mimeType } = resource;
  return { contents: [{ uri: resource.uri, mimeType, text: await resource.read(await open()) }] };
}
