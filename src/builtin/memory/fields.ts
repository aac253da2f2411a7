/** The parameters that several tools of the memory server share. */
import * as z from 'zod';
import { said } from '../said.ts';

/** How much of anything may be asked for at once. */
const MAX_LIMIT = 100;

/** The longest text that is kept whole. */
export const LONG_TEXT = 50_000;

const SHORT_TEXT = 500;

/** A name, a label, a line. */
export const shortText = () => z.string().max(SHORT_TEXT);

/** The same, where something has to be said. */
export const saidLine = () => said(SHORT_TEXT);

/** Whatever somebody wants to keep. */
export const longText = () => z.string().max(LONG_TEXT);

/** The same, where something has to be said. */
export const saidText = () => said(LONG_TEXT);

/** From 1 to 10. */
export const importance = () => z.int().min(1).max(10);

/** How many to answer with. */
export const limit = (usual: number) => z.int().min(1).max(MAX_LIMIT).default(usual);

/** How many to pass over. */
export const offset = () => z.int().min(0).default(0);

/** The device whose own section is meant. */
export const deviceId = () => said(200).optional();
