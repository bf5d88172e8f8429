import { close, constants, fsync, open } from 'node:fs';

const { O_RDONLY, O_DIRECTORY } = constants;

/**
 * Syncs directories, and so the names in them, to disk in the background. A file system that cannot sync a directory
 * either writes names in order or makes no guarantee.
 */
export function syncDirectories(directories: readonly string[]): void {
  for (const directory of directories) {
    open(directory, O_RDONLY | O_DIRECTORY, (failure, descriptor) => {
      if (failure !== null) return;
      fsync(descriptor, () => close(descriptor));
    });
  }
}
