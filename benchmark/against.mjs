// `npm run bench:against REVISION`: compares the working tree with a revision, in pairs. Builds the revision in
// build/against/COMMIT, and keeps that directory.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { directory, ours } from './inputs.mjs';
import { compare, task } from './measure.mjs';
import { table } from './table.mjs';

const [revision = 'HEAD', ...options] = process.argv.slice(2);
const git = (...words) => execFileSync('git', words, { encoding: 'utf8', maxBuffer: 2 ** 30 });
const commit = git('rev-parse', '--short', `${revision}^{commit}`).trim();
const other = resolve('build/against', commit);
if (!existsSync(`${other}/dist/cli.cjs`)) {
  rmSync(other, { recursive: true, force: true });
  mkdirSync(other, { recursive: true });
  execFileSync('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, other]);
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: other, stdio: ['ignore', 2, 2] });
}

const root = resolve('build/against/work');
rmSync(root, { recursive: true, force: true });
const rounds = (usual) => (options.includes('--quick') ? 1 : usual);
const like = (words, kind, steps, usual) => ({ words, kind, steps, usual });
const cases = [
  like('workflow list', 'steps', 1, 40),
  like('workflow validate', 'steps', 1, 40),
  like('workflow run one', 'steps', 1, 40),
  like('workflow run one', 'steps', 1000, 10),
  { ...like('workflow run one', 'steps', 1000, 10), isRecorded: true },
  like('workflow run one --dry-run', 'wordySteps', 10_000, 15),
  like('workflow run one --dry-run', 'wordySteps', 100_000, 5),
  like('workflow validate', 'references', 10_000, 10),
];
const rows = cases.flatMap(({ words, kind, steps, usual, isRecorded }, index) => {
  const cwd = directory(root, `case${index}`, { '.cli/workflow.json': ours[kind](steps) });
  const both = [
    ['before', `${other}/dist/cli.cjs`],
    ['now', resolve('dist/cli.cjs')],
  ];
  const name = `${words}, ${steps} ${steps === 1 ? 'step' : 'steps'}${isRecorded ? ', recorded' : ''}`;
  const record = isRecorded ? { remove: `${cwd}/.cli/runs`, ownEnv: { CLI_NO_JOURNAL: '' } } : {};
  return compare(
    both.map(([when, file]) =>
      task(`${name}: ${when}`, [process.execPath, file, ...words.split(' ')], { cwd, ...record }),
    ),
    rounds(usual),
  );
});
process.stdout.write(`Ratios to ${commit} (${git('log', '-1', '--format=%s', commit).trim()}):\n\n${table(rows)}`);
