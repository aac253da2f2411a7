/** The account of tokens: counts in a thread of its own, and writes down what clients were given where there is a file. */
import type { OnCalled } from '../catalog/called-tool.ts';
import type { Feed } from '../events/feed.ts';
import type { TokenCount } from '../exposure/ports.ts';
import { MODES } from '../exposure/registry.ts';
import { createLedger } from '../ledger/ledger.ts';
import { createTokenCount } from '../ledger/token-count.ts';
import { createUsage } from '../ledger/usage.ts';
import { createTokenizer } from '../lib/tokenizer.ts';
import type { Account } from '../session/account.ts';
import type { Store } from '../store/store.ts';

/** What is counted and kept; disposing it writes down the rest. */
export interface Books extends AsyncDisposable {
  readonly tokens: TokenCount;
  readonly account: Account;
  /** Hears of every call of a tool when it is over. */
  readonly onCalled: OnCalled;
}

/** Nobody reads an account that ends with the process. */
const NO_ACCOUNT: Account = { listed() {}, answered() {} };

/** Opens the books. */
export function openBooks(parts: { store: Store; feed: Feed; namespace: string }): Books {
  const { store, feed, namespace } = parts;
  const tokenizer = createTokenizer();
  const tokens = createTokenCount(store, tokenizer);
  if (store.degraded !== undefined) {
    return {
      tokens,
      account: NO_ACCOUNT,
      onCalled() {},
      async [Symbol.asyncDispose]() {
        tokenizer[Symbol.dispose]();
      },
    };
  }
  const finders = new Set(MODES.flatMap((mode) => mode.finds?.(namespace) ?? []));
  const ledger = createLedger({
    store,
    tokens,
    tokenizer,
    now: Date.now,
    isSearch: (tool) => finders.has(tool),
  });
  const usage = createUsage({ store, now: Date.now });
  const changers = new Set(
    MODES.filter((mode) => mode.changesByCall).flatMap((mode) => mode.reserved(namespace)),
  );
  const stop = feed.on((event) => {
    if (event.type === 'upstream.manifest' && event.changed) ledger.causes.note(`tools of ${event.upstream}`);
    if (event.type === 'config.reloaded') ledger.causes.note('configuration');
  });
  return {
    tokens,
    onCalled: usage.called,
    account: {
      listed: ledger.listed,
      answered(context, endpoint, tool, result) {
        ledger.answered(context, endpoint, tool, result);
        if (changers.has(tool)) ledger.causes.note(tool);
      },
    },
    async [Symbol.asyncDispose]() {
      stop();
      await Promise.all([ledger[Symbol.asyncDispose](), usage[Symbol.asyncDispose]()]);
      tokenizer[Symbol.dispose]();
    },
  };
}
