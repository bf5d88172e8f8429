// Runs commands side by side, each of them an argument for sh. Fails if one of them fails, once all have ended.
import { spawn } from 'node:child_process';

const codes = await Promise.all(
  process.argv.slice(2).map((command) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'inherit', 'inherit'] });
    return new Promise((resolve) => child.once('close', resolve));
  }),
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
