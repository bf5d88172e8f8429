// `npm run bench [case …]`: measures the tool against lower bounds and against other tools, prints tables, and writes
// build/bench/results.json. `--quick` runs few rounds, as a smoke test.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { resolve } from 'node:path';
import { directory, GROUP_SIZE, ours, peers, SHELL } from './inputs.mjs';
import { compare, task } from './measure.mjs';
import { SYNCED } from './record_cost.mjs';
import { section } from './table.mjs';
import { targetTable } from './targets.mjs';

const root = resolve('build/bench');
const quick = process.argv.includes('--quick');
const chosen = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const rounds = (usual) => (quick ? 1 : usual);
rmSync(root, { recursive: true, force: true });
mkdirSync(root, { recursive: true });

const tool = (path) => resolve('benchmark/node_modules', path);
const bundle = [process.execPath, resolve('dist/cli.cjs')];
const standalone = [resolve('build/standalone/cli')];
const both = (name, args, options) => [
  task(`cli ${name}`, [...bundle, ...args], options),
  task(`cli ${name} (standalone)`, [...standalone, ...args], options),
];
const node = (program, name = `node: ${program}`) => task(name, [process.execPath, '-e', program]);
const NOTHING = node('0', 'node -e 0');
const run = ['workflow', 'run', 'one'];
const file = (name, content) => ({ cwd: directory(root, name, { '.cli/workflow.json': content }) });

const nativeJust = tool('rust-just-linux-x64/bin/just');
const hasCompiler = spawnSync('cc', ['-O2', '-o', `${root}/loop`, 'benchmark/loop.c']).status === 0;
/** Without a compiler, the shell itself is the lower bound. It forks, and so is a little slower. */
const loop = (count) =>
  hasCompiler
    ? task('C loop', [`${root}/loop`, `${count}`])
    : task('bash loop', ['bash', '-c', `for ((i = 0; i < ${count}; i += 1)); do ${SHELL.join(' ')} true; done`]);

const peer = {
  just: (n) => task('just', [nativeJust, 'one'], { cwd: directory(root, `just${n}`, peers.just(n)) }),
  justOfNpm: (n) =>
    task('just through npm', [tool('.bin/just'), 'one'], { cwd: directory(root, `just${n}`, peers.just(n)) }),
  make: (n) => task('make', ['make', '-s', 'one'], { cwd: directory(root, `make${n}`, peers.make(n)) }),
  mise: (n) => task('mise', [tool('.bin/mise'), 'run', 'one'], { cwd: directory(root, `mise${n}`, peers.mise(n)) }),
  deno: (n) =>
    task('deno task', [tool('deno/deno'), 'task', 'one'], { cwd: directory(root, `deno${n}`, peers.deno(n)) }),
  bun: (n) => task('bun run', [tool('.bin/bun'), 'run', 'one'], { cwd: directory(root, `npm${n}`, peers.scripts(n)) }),
  pnpm: (n) =>
    task('pnpm run', [tool('pnpm/pnpm'), 'run', 'one'], { cwd: directory(root, `npm${n}`, peers.scripts(n)) }),
  npm: (n) => task('npm run', ['npm', 'run', 'one'], { cwd: directory(root, `npm${n}`, peers.scripts(n)) }),
  zx: (n) => task('zx', [tool('.bin/zx'), 'one.mjs'], { cwd: directory(root, `zx${n}`, peers.zx(n)) }),
  wireit: () => task('wireit', ['npm', 'run', 'one'], { ...wireit, remove: `${wireit.cwd}/.wireit` }),
  turbo: () => task('turbo run', [tool('.bin/turbo'), 'run', 'one'], { cwd: directory(root, 'turbo', peers.turbo()) }),
};
const wireit = {
  cwd: directory(root, 'wireit', peers.wireit()),
  ownEnv: { PATH: `${tool('.bin')}:${process.env.PATH}` },
};

const bare = (count) => task('spawn in Node.js', [process.execPath, 'benchmark/spawn.mjs', `${count}`]);
const synced = (count) => task(SYNCED, [process.execPath, 'benchmark/spawn.mjs', `${count}`, `${root}/lines`]);
const steps = (count) => [
  loop(count),
  bare(count),
  ...both(`${count} steps`, run, file(`steps${count}`, ours.steps(count))),
];
const parse = (path) => node(`JSON.parse(require('fs').readFileSync('${path}', 'utf8'))`, 'node: only JSON.parse');
const drily = (workflow = 'one') => ['workflow', 'run', workflow, '--dry-run'];
const dryRun = (name, content, workflow) => {
  const place = file(name, content);
  return [parse(`${place.cwd}/.cli/workflow.json`), ...both(name, drily(workflow), place)];
};
/** Dry runs of growing files. The first has a single step, to measure the start. */
const growing = (kind) =>
  [1, 1000, 10_000, 90_000].flatMap((n) => both(`${n} steps`, drily(), file(`${kind}${n}`, ours[kind](n))));

const hasParallel = spawnSync('parallel', ['--version']).status === 0;
const printing = (lines) => {
  const of = (name) => `${name}: ${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'} each`;
  const { sed, parallel, scripts, just } = peers.printing;
  const npm = ['--print-label', '--parallel', 'm*'];
  return [
    task(of('bash and sed'), ['bash', '-c', sed(GROUP_SIZE, lines)]),
    task(of('cli'), [...bundle, ...run], file(`printing${lines}`, ours.printing(GROUP_SIZE, lines))),
    task(of('cli (standalone)'), [...standalone, ...run], file(`printing${lines}`, ours.printing(GROUP_SIZE, lines))),
    task(of('npm-run-all2'), [tool('.bin/npm-run-all'), ...npm], {
      cwd: directory(root, `scripts${lines}`, scripts(GROUP_SIZE, lines)),
    }),
    ...(hasParallel ? [task(of('GNU parallel'), ['bash', '-c', parallel(GROUP_SIZE, lines)])] : []),
    task(of('just (without names)'), [nativeJust, 'one'], {
      cwd: directory(root, `printing_just${lines}`, just(GROUP_SIZE, lines)),
    }),
  ];
};

/** Runs without and with a record. */
const recorded = (name, count) => {
  const place = file(`journal${count}`, ours.steps(count));
  const journal = { ...place, remove: `${place.cwd}/.cli/runs`, ownEnv: { CLI_NO_JOURNAL: '' } };
  return [both(name, run, place), both(`${name}, recorded`, run, journal)].flat();
};

/** Lists of 200 included files of growing size, and of the same workflows in one file. */
const including = () =>
  [1, 20, 200, 400].flatMap((count) => {
    const place = { cwd: directory(root, `included${count}`, ours.included(200, count)) };
    const size = `${(200 * count).toLocaleString('en')} steps`;
    const several = both(`${size} in 200 files`, ['workflow', 'list'], place);
    return several.concat(both(`${size} in one file`, ['workflow', 'list', '--file', 'one.json'], place));
  });

/** Records that another machine has left here. */
const foreign = (count) => ({
  cwd: directory(root, `foreign${count}`, ours.foreignRecords(count)),
  ownEnv: { CLI_NO_JOURNAL: '', XDG_STATE_HOME: `${root}/state` },
});

const GIB = 'head -c 1073741824 /dev/zero';
/** The cases. The tasks of a case are measured against its first task. */
const cases = {
  'start-up': () => {
    const one = file('one', ours.steps(1));
    const commands = ['--version', 'workflow list', 'workflow validate', 'workflow run one'];
    const own = commands.flatMap((words) => both(words, words.split(' '), one));
    return compare([NOTHING, ...own, ...Object.values(peer).map((make) => make(1))], rounds(20));
  },
  '100 steps': () => compare([...steps(100), peer.just(100), peer.make(100), peer.mise(100), peer.zx(100)], rounds(7)),
  '1,000 steps': () => {
    const others = [peer.just, peer.make, peer.mise, peer.deno, peer.bun, peer.pnpm, peer.zx];
    return compare([...steps(1000), ...others.map((make) => make(1000))], rounds(5));
  },
  '5,000 steps': () => compare([...steps(5000), peer.just(5000), peer.make(5000)], rounds(3)),
  '1 GiB through one step': () => {
    const place = file('gib', ours.steps(1, GIB));
    const piped = (name, command) => task(`${name} | cat`, ['sh', '-c', `${command} 2>&1 | cat`], place);
    const words = (command) => [...command, ...run].join(' ');
    return compare(
      [
        task('bash', ['bash', '-c', GIB]),
        ...both('to /dev/null', run, place),
        piped('bash', GIB),
        piped('cli', words(bundle)),
        piped('cli (standalone)', words(standalone)),
      ],
      rounds(5),
    );
  },
  journal: () => {
    const loops = [bare(1000), synced(1000)];
    return compare([NOTHING, ...loops, ...recorded('1 step', 1), ...recorded('1,000 steps', 1000)], rounds(9));
  },
  'journal of 5,000 steps': () => compare([synced(5000), ...recorded('5,000 steps', 5000)], rounds(3)),
  'foreign records': () => {
    const [few, many] = [foreign(100), foreign(10_000)];
    const runs = [
      both('workflow run one among 100', run, few),
      both('workflow run one among 10,000', run, many),
      both('runs list of 10,000', ['runs', 'list'], many),
    ];
    return compare([NOTHING, ...runs.flat()], rounds(9));
  },
  'output of a group': () => compare([...printing(1), ...printing(500_001)], rounds(5)),
  'other commands': () => {
    const one = file('reports', ours.steps(1));
    const reports = ['json', 'xml', 'html'].map((kind) => run.concat('--report', `report.${kind}`));
    const many = file('workflows1000', ours.workflows(1000));
    const tab = ['completion', 'words', '--', 'fish', 'cli', 'workflow', 'run', 'task_9'];
    return compare(
      [
        NOTHING,
        ...both('workflow run one', run, one),
        ...reports.flatMap((args) => both(args.slice(1).join(' '), args, one)),
        ...both('workflow explain one', ['workflow', 'explain', 'one'], one),
        ...both('Tab, 1,000 workflows', tab, many),
      ],
      rounds(15),
    );
  },
  'dry run of 10,000 steps': () => compare(dryRun('dry10000', ours.wordySteps(10_000)), rounds(9)),
  'dry run of 100,000 steps': () => compare(dryRun('dry100000', ours.wordySteps(100_000)), rounds(5)),
  'dry run of a chain of 10,000 calls': () => compare(dryRun('chain10000', ours.chain(10_000), 'w0'), rounds(5)),
  'dry run of variables 1,000 frames deep': () => compare(dryRun('deep1000', ours.chain(500), 'w0'), rounds(5)),
  'growth with comments': () => compare(growing('comments'), rounds(3)),
  'growth with calls 20 levels deep': () => compare(growing('deepCalls'), rounds(3)),
  'growth with 1,000 references': () => compare(growing('references'), rounds(3)),
  'growth of includes': () => compare(including(), rounds(3)),
  'growth of runs, calls and errors': () => {
    const sizes = [
      ...[100, 1000, 5000].map((n) => both(`${n} steps`, run, file(`steps${n}`, ours.steps(n)))[0]),
      ...[1000, 5000, 20_000].map((n) => dryRun(`dry run of ${n} calls`, ours.chain(n), 'w0')[1]),
      ...[1000, 10_000, 100_000].map((n) => {
        const place = file(`errors${n}`, ours.errors(n));
        return task(`validate ${n} errors`, ['sh', '-c', `${bundle.join(' ')} workflow validate || true`], place);
      }),
    ];
    return compare([NOTHING, ...sizes], rounds(3));
  },
};

const results = {};
for (const [name, measure] of Object.entries(cases)) {
  if (chosen.length > 0 && !chosen.some((word) => name.includes(word))) continue;
  results[name] = measure();
  process.stdout.write(`\n${section(name, results[name])}`);
}
process.stdout.write(`\n### targets\n\n${targetTable(results)}`);
const machine = `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Linux ${release()}, Node.js ${process.version}`;
const found = { date: new Date().toISOString().slice(0, 10), machine, results };
writeFileSync(`${root}/results.json`, JSON.stringify(found, null, 2));
process.stdout.write(`\n${machine}; results in build/bench/results.json\n`);
