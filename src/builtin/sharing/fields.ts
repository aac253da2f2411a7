/** The parameters that several tools of the sharing server share. */
import { said } from '../said.ts';

/** Whom it is about. */
export const contact = () => said(120).describe('name or id');

/** What somebody is called here. */
export const displayName = () => said(100).optional();

/** The id of something in the server that keeps it. */
export const itemId = () => said(200);
