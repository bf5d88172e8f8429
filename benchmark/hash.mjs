// The least that Node.js needs to read a directory of directories of files: states and digests of all files.
import { hash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';

const buffer = Buffer.allocUnsafe(262_144);
const [, , root] = process.argv;
for (const directory of readdirSync(root)) {
  for (const { name } of readdirSync(`${root}/${directory}`, { withFileTypes: true })) {
    const path = `${root}/${directory}/${name}`;
    lstatSync(path);
    const descriptor = openSync(path, 'r');
    const size = readSync(descriptor, buffer);
    hash('sha256', buffer.subarray(0, size), 'hex');
    closeSync(descriptor);
  }
}
