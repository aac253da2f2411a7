/** Storage as a server: files kept in a directory or an S3 store, with a quota and links that expire. */
import { type BuiltinServer, createBuiltinServer } from '../server.ts';
import { findStorage, type StorageServerParts } from './context.ts';
import { STORAGE_TOOLS } from './tools.ts';

/** Creates the server; its tables and its directory are made when it is first asked for something. */
export function createStorageServer(parts: StorageServerParts): BuiltinServer {
  return createBuiltinServer(
    { name: 'storage', title: 'Storage', tools: STORAGE_TOOLS, resources: [], prompts: [] },
    { ...parts, open: findStorage(parts).open },
  );
}
