/** The parameters that several tools of the sharing server share. */
import * as z from 'zod';

/** Whom it is about. */
export const contact = () => z.string().min(1).max(120).describe('name or id');

/** What somebody is called here. */
export const displayName = () => z.string().min(1).max(100).optional();

/** The id of something in the server that keeps it. */
export const itemId = () => z.string().min(1).max(200);
