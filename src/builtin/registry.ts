/** The servers inside the gateway, one line each; nothing of them is loaded before it is used. */
import type * as z from 'zod';
import { BLOG_OPTIONS } from './blog/options.ts';
import type { BuiltinParts, BuiltinRoutes } from './builtin.ts';
import type { BuiltinServer } from './server.ts';
import { SHARING_OPTIONS } from './sharing/options.ts';
import { STORAGE_OPTIONS } from './storage/options.ts';

/** One server, not yet loaded. */
export interface BuiltinEntry {
  readonly name: string;
  readonly summary: string;
  /** Its part of the configuration, where it has one. */
  readonly options?: z.ZodObject;
  load(): Promise<(parts: BuiltinParts) => BuiltinServer>;
  /** What it does while nobody calls it, where there is something to do. */
  readonly background?: () => Promise<(parts: BuiltinParts) => Promise<void>>;
  /** Pages and files it serves over HTTP, under a first part of the address that is its own. */
  readonly routes?: {
    readonly under: string;
    /** How addresses begin that take files, which may take their time. */
    readonly uploads?: string;
    load(): Promise<(parts: BuiltinParts) => BuiltinRoutes>;
  };
}

/** Every built-in server. */
export const BUILTINS: readonly BuiltinEntry[] = [
  {
    name: 'memory',
    summary: 'remembers facts and your preferences across conversations',
    load: async () => (await import('./memory/server.ts')).createMemoryServer,
  },
  {
    name: 'projects',
    summary: 'keeps research: projects, sources with their citations, and notes',
    load: async () => (await import('./projects/server.ts')).createProjectsServer,
  },
  {
    name: 'storage',
    summary: 'keeps files in a directory or an S3 store, and hands out links that expire',
    options: STORAGE_OPTIONS,
    load: async () => (await import('./storage/server.ts')).createStorageServer,
    routes: {
      under: '/storage',
      uploads: '/storage/upload/',
      load: async () => (await import('./storage/http.ts')).createStorageRoutes,
    },
  },
  {
    name: 'blog',
    summary: 'writes and publishes posts, with pages and feeds for whoever may read them',
    options: BLOG_OPTIONS,
    load: async () => (await import('./blog/server.ts')).createBlogServer,
    routes: {
      under: '/blog',
      load: async () => (await import('./blog/http.ts')).createBlogRoutes,
    },
  },
  {
    name: 'sharing',
    summary: 'sends messages and items to other people, from machine to machine',
    options: SHARING_OPTIONS,
    load: async () => (await import('./sharing/server.ts')).createSharingServer,
    background: async () => (await import('./sharing/server.ts')).startSharing,
  },
];
