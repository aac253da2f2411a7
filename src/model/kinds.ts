/** One row per kind of entry, so that no code says the same thing four times. */
import type { Kind } from './manifest.ts';

/** How a kind is listed and told apart on the wire. */
export interface KindRow {
  readonly listMethod: string;
  /** The member of the list's result that holds the definitions. */
  readonly resultKey: string;
  /** The member of a definition that identifies it at its upstream. */
  readonly idKey: 'name' | 'uri' | 'uriTemplate';
  /** The server capability that promises the list. */
  readonly capability: 'tools' | 'resources' | 'prompts';
  /** The notification that says the list changed. */
  readonly changed: string;
}

/** The table of kinds. */
export const KINDS: Readonly<Record<Kind, KindRow>> = {
  tool: {
    listMethod: 'tools/list',
    resultKey: 'tools',
    idKey: 'name',
    capability: 'tools',
    changed: 'notifications/tools/list_changed',
  },
  resource: {
    listMethod: 'resources/list',
    resultKey: 'resources',
    idKey: 'uri',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
  template: {
    listMethod: 'resources/templates/list',
    resultKey: 'resourceTemplates',
    idKey: 'uriTemplate',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
  prompt: {
    listMethod: 'prompts/list',
    resultKey: 'prompts',
    idKey: 'name',
    capability: 'prompts',
    changed: 'notifications/prompts/list_changed',
  },
};

/** Every kind, in the order they are listed everywhere. */
export const ALL_KINDS: readonly Kind[] = ['tool', 'resource', 'template', 'prompt'];
