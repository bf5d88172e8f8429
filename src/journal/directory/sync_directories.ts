import { close, fsync, open } from 'node:fs';

/**
 * Syncs directories, and so the names in them, to disk in the background. A file system that cannot sync a directory
 * either writes names in order or makes no guarantee.
 */
export function syncDirectories(directories: readonly string[]): void {
  for (const directory of directories) {
    open(directory, 'r', (failure, descriptor) => {
      if (failure !== null) return;
      fsync(descriptor, () => close(descriptor));
    });
  }
}
