/** What every page needs to know of the blog it belongs to. */
import type { Settings } from '../settings.ts';

/** The blog as pages see it. */
export interface Site {
  readonly settings: Settings;
  /** Scheme and host, for addresses that leave the page. */
  readonly origin: string;
  /** The address of the style sheet; another one whenever its content is. */
  readonly stylePath: string;
}
