/** The protocol behaviour the gateway must have, as data: each row names the test that proves it. */
import { BRIDGE_REQUIREMENTS } from './conformance/requirements/bridges.ts';
import { CARRIER_REQUIREMENTS } from './conformance/requirements/carrier.ts';
import { LEGACY_REQUIREMENTS } from './conformance/requirements/legacy.ts';
import { MODERN_REQUIREMENTS } from './conformance/requirements/modern.ts';
import { QUESTION_REQUIREMENTS } from './conformance/requirements/questions.ts';
import { UPSTREAM_REQUIREMENTS } from './conformance/requirements/upstream.ts';

/** One behaviour, where it is asked for, and the test that proves it. */
export interface Requirement {
  /** Face, area and behaviour, such as `legacy.session.opened`. */
  readonly id: string;
  readonly era: 'legacy' | 'modern' | 'both';
  /** What must hold, as one sentence. */
  readonly must: string;
  /** The section of the specification that asks for it. */
  readonly spec: string;
  /** The test file, or the contract suite, from the root of the project. */
  readonly file: string;
  /** The title of the test in that file, as it is written there, or the name of a cell of its matrix. */
  readonly test: string;
}

/** All of them. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...LEGACY_REQUIREMENTS,
  ...MODERN_REQUIREMENTS,
  ...UPSTREAM_REQUIREMENTS,
  ...CARRIER_REQUIREMENTS,
  ...QUESTION_REQUIREMENTS,
  ...BRIDGE_REQUIREMENTS,
];
