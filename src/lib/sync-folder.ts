/** Makes what was renamed into a folder, or made in it, outlive a power cut. */
import { open } from 'node:fs/promises';

/** Writes the names in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and keeps its names safe by itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
