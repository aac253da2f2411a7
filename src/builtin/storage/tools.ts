/** The tools of storage, in the order they are listed. */
import type { BuiltinTool } from '../builtin.ts';
import type { Storage } from './context.ts';
import { deleteFile } from './tools/delete-file.ts';
import { getFileUrl, listFiles, storageStats } from './tools/find-files.ts';
import { uploadFile } from './tools/upload-file.ts';

/** Every tool of storage. */
export const STORAGE_TOOLS: readonly BuiltinTool<Storage>[] = [
  uploadFile,
  listFiles,
  getFileUrl,
  deleteFile,
  storageStats,
];
