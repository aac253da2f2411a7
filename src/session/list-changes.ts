/** Tells conversations which of their lists changed, once per change however many were caused by one event. */
import { setImmediate } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.ts';
import type { Unsubscribe } from '../events/feed.ts';
import type { CallContext } from '../model/call.ts';
import { ALL_KINDS, KINDS } from '../model/kinds.ts';
import type { Kind } from '../model/manifest.ts';
import type { Definition } from '../model/mcp.ts';
import type { Surface } from './surface.ts';

/** What a client was shown at one moment. */
interface Look {
  /** The notifications for what differs from an earlier look. */
  newsSince(before: Look): readonly string[];
  readonly lists: ReadonlyMap<Kind, readonly Definition[]>;
}

/** Calls the listener with each list-changed notification that a surface's client should hear. */
export function onListChanges(
  catalog: Catalog,
  surface: Surface,
  context: CallContext,
  tell: (notification: string) => void,
): Unsubscribe {
  let ended = false;
  let last = look(surface, context);
  const compareWith = (lookAgain: () => Promise<Look>, turn?: () => Promise<unknown>) => {
    last = last.then(async (before) => {
      await turn?.();
      if (ended) return before;
      const now = await lookAgain();
      if (!ended) for (const notification of now.newsSince(before)) tell(notification);
      return now;
    });
  };
  const compare = () => compareWith(() => look(surface, context));
  const compareInRound = () => {
    // Of the snapshot that is told of: the news may have to wait for an earlier look.
    const round = catalog.current.derived(catalog, 'round of looks', createRound);
    compareWith(() => round.look(surface, context), round.turn);
  };
  // A client of the default mode may be answered by another one now, which this surface cannot see.
  const retell = () => {
    tell(KINDS.tool.changed);
    last = look(surface, context);
  };
  const stops = [
    // First, since it throws where the surface is gone, and nothing else may be left listening then.
    surface.onStateChange(context, compare),
    catalog.onChange(compareInRound),
    surface.onExposureChange(retell),
  ];
  return () => {
    ended = true;
    for (const stop of stops) stop();
  };
}

/** How all conversations look at one new snapshot. */
interface Round {
  /** Resolves when whoever asked before has had a turn of the event loop. */
  readonly turn: () => Promise<unknown>;
  look(surface: Surface, context: CallContext): Promise<Look>;
}

/** One conversation a turn, so that calls are not kept waiting for all of them; those who are shown the same share a look. */
function createRound(): Round {
  const looks = new Map<string, Promise<Look>>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    turn() {
      last = last.then(() => setImmediate());
      return last;
    },
    look(surface, context) {
      // What a call may change is a conversation's own.
      if (!surface.keepable) return look(surface, context);
      const key = toViewerKey(surface, context);
      const shared = looks.get(key) ?? look(surface, context);
      looks.set(key, shared);
      return shared;
    },
  };
}

/** All that a view tells a mode of who is asking. */
function toViewerKey({ key }: Surface, { principal, facts }: CallContext): string {
  return JSON.stringify([key, principal.id, principal.owner === true, facts.name]);
}

async function look(surface: Surface, context: CallContext): Promise<Look> {
  const lists = await Promise.all(
    ALL_KINDS.map(async (kind) => {
      try {
        return [kind, await surface.shown(kind, context)] as const;
      } catch {
        // A surface whose upstream was removed shows nothing, which is news as well.
        return [kind, []] as const;
      }
    }),
  );
  return createLook(new Map(lists));
}

function createLook(lists: Look['lists']): Look {
  const compared = new WeakMap<Look, readonly string[]>();
  return {
    lists,
    newsSince(before) {
      const news = compared.get(before) ?? toNews(lists, before.lists);
      compared.set(before, news);
      return news;
    },
  };
}

function toNews(now: Look['lists'], before: Look['lists']): readonly string[] {
  const changed = ALL_KINDS.filter((kind) => !isSame(now.get(kind) ?? [], before.get(kind) ?? []));
  return [...new Set(changed.map((kind) => KINDS[kind].changed))];
}

/** Definitions are shared between snapshots, so that almost every comparison ends at identity. */
function isSame(a: readonly Definition[], b: readonly Definition[]): boolean {
  return (
    a.length === b.length &&
    a.every((shown, index) => shown === b[index] || toText(shown) === toText(b[index]))
  );
}

function toText(definition: Definition | undefined): string | undefined {
  return JSON.stringify(definition);
}
