/** Removes what crashes left behind. */
import { collectContent, findLooseContents } from './contents.ts';
import { SWEEP_LIMIT } from './limits.ts';
import type { StorageParts } from './parts.ts';
import { findOverUploads, removeOverUpload, touchUpload } from './upload-rows.ts';

/**
 * Cleans up after uploads that died and contents that no file has; cheap when there are none. Never fails: what
 * cannot be removed now stays noted and is tried again, and nobody's upload should wait for it.
 */
export async function sweep(parts: StorageParts): Promise<void> {
  await removeEach(parts, findOverUploads(parts), async (row) => {
    try {
      await removeOverUpload(parts, row);
    } catch (error) {
      // Left alone for as long as one that lives, or every upload would wait for the same failure.
      if (row.attempt !== null) await touchUpload(parts, { ...row, attempt: row.attempt });
      throw error;
    }
  });
  await removeEach(parts, findLooseContents(parts, SWEEP_LIMIT), (address) => collectContent(parts, address));
}

/** Tries each; where a store that does not answer would be asked again and again, the first failure ends it. */
async function removeEach<T>(
  { backend }: StorageParts,
  found: Promise<readonly T[]>,
  remove: (item: T) => Promise<void>,
): Promise<void> {
  for (const item of await found.catch(() => [])) {
    const failed = await remove(item).then(
      () => false,
      () => true,
    );
    if (failed && !backend.shared) return;
  }
}
