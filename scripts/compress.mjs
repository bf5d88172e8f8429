// `npm run build:compressed`: writes build/standalone/cli.zst, the executable for a download. `zstd -d` restores it.
import { execFileSync } from 'node:child_process';

/** Takes a minute; level 9 takes a tenth of it, and gives a file that is a tenth larger. */
const LEVEL = 19;

const program = `
  const executable = await Bun.file('build/standalone/cli').bytes();
  await Bun.write('build/standalone/cli.zst', Bun.zstdCompressSync(executable, { level: ${LEVEL} }));`;
execFileSync('tools/standalone/node_modules/.bin/bun', ['-e', program], { stdio: ['ignore', 2, 2] });
