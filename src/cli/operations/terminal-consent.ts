/** Shows a plan at the terminal and waits for a yes. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { type Plan, toPlanLines } from '../../operations/operation.ts';
import type { Consent } from '../../operations/perform.ts';
import type { Terminal } from '../command.ts';

/** How a command asks. */
export interface TerminalConsentParts {
  readonly terminal: Terminal | undefined;
  /** True when the person said yes beforehand, with `--yes`. */
  readonly agreed: boolean;
  /** Tells the person something that is not the answer of the command. */
  tell(line: string): void;
}

/** Asks; without a person at the keyboard nothing is done. */
export function createTerminalConsent({ terminal, agreed, tell }: TerminalConsentParts): Consent {
  return async (plan) => {
    if (agreed) return 'beforehand';
    if (!terminal)
      throw new GatewayError(
        'CONSENT_NEEDED',
        `${toPlanText(plan)}\nNobody is at the keyboard to agree to this; run it again with --yes to do it`,
      );
    tell(toPlanText(plan));
    return isYes(await terminal.ask('Do it? [y/N] ')) ? 'yes' : 'no';
  };
}

/** A plan as a person reads it. */
export function toPlanText(plan: Plan): string {
  return [`To ${plan.summary}:`, ...toPlanLines(plan).map((line) => `  ${line}`)].join('\n');
}

/** True for what people type when they agree. */
export function isYes(answer: string): boolean {
  return /^\s*(y|yes)\s*$/i.test(answer);
}
