import { close, fsync, open } from 'node:fs';

/**
 * Lets the names in folders reach the disk, without waiting for it. A file system that cannot sync a folder writes its
 * names in order anyhow, or promises nothing.
 */
export function syncFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    open(folder, 'r', (failure, descriptor) => {
      if (failure !== null) return;
      fsync(descriptor, () => close(descriptor));
    });
  }
}
