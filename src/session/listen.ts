/** Answers `subscriptions/listen`: streams the changes a modern client asked for until it ends the request. */
import type { CancelSignal } from '../lib/cancel.ts';
import type { CallContext } from '../model/call.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { KINDS } from '../model/kinds.ts';
import { META } from '../model/mcp.ts';
import { onListChanges } from './list-changes.ts';
import type { ClientCall } from './session.ts';
import type { SessionParts } from './sessions.ts';
import type { Surface } from './surface.ts';
import { openWatchedResources } from './watched-resources.ts';

/** The filter's members and the notification each stands for. */
const FILTERS: Readonly<Record<string, string>> = {
  toolsListChanged: KINDS.tool.changed,
  promptsListChanged: KINDS.prompt.changed,
  resourcesListChanged: KINDS.resource.changed,
};

/** Runs one subscription to its end. */
export async function listen(
  params: JsonObject,
  call: ClientCall,
  context: CallContext,
  surface: Surface,
  parts: SessionParts,
): Promise<JsonObject> {
  const asked = isJsonObject(params['notifications']) ? params['notifications'] : {};
  const _meta = { [META.subscriptionId]: call.id };
  const tell = (method: string, content: JsonObject) => call.client.notify(method, { ...content, _meta });

  const kinds = Object.keys(FILTERS).filter((key) => asked[key] === true);
  const wanted = new Set(kinds.map((key) => FILTERS[key]));
  let early: (() => void)[] | undefined = [];
  /** Nothing may come before the acknowledgement, and nothing that came early may be lost. */
  const tellOnceAcknowledged = (method: string, content: JsonObject) => {
    if (early) early.push(() => tell(method, content));
    else tell(method, content);
  };
  const stop = onListChanges(parts.catalog, surface, context, (notification) => {
    if (wanted.has(notification)) tellOnceAcknowledged(notification, {});
  });
  const watched = openWatchedResources(parts.catalog, tellOnceAcknowledged);
  try {
    const uris = await watchAll(asked['resourceSubscriptions'], (uri) =>
      watched.add(uri, surface.view(context)),
    );
    tell('notifications/subscriptions/acknowledged', {
      notifications: {
        ...Object.fromEntries(kinds.map((key) => [key, true])),
        ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
      },
    });
    for (const say of early) say();
    early = undefined;
    await untilAborted(call.signal, parts.stopping);
    return { _meta };
  } finally {
    stop();
    watched.close();
  }
}

/** More than this is not acknowledged. */
const MAX_WATCHED = 500;

/** Watches what can be watched; what cannot is missing in the acknowledgement. */
async function watchAll(asked: unknown, watch: (uri: string) => Promise<void>): Promise<string[]> {
  const texts = Array.isArray(asked) ? asked.filter((uri): uri is string => typeof uri === 'string') : [];
  const uris = [...new Set(texts)].slice(0, MAX_WATCHED);
  const outcomes = await Promise.allSettled(uris.map(watch));
  return uris.filter((_, index) => outcomes[index]?.status === 'fulfilled');
}

/** Resolves with the first of the signals; listens by hand, since combined signals are never let go of. */
function untilAborted(...signals: readonly CancelSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const signal of signals) signal.removeEventListener('abort', done);
      resolve();
    };
    for (const signal of signals) signal.addEventListener('abort', done);
    if (signals.some((signal) => signal.aborted)) done();
  });
}
