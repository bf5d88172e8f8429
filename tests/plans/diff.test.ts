import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory, type CommandResult } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { done, refused } from '../support/project.ts';

const FILE = {
  workflows: {
    release: { steps: [{ name: 'tag', run: 'git tag "$VERSION"' }], description: 'Tag VERSION' },
    docs: { steps: ['make docs'], aliases: ['d'] },
  },
};
const EDITED = {
  workflows: { ...FILE.workflows, release: { ...FILE.workflows.release, steps: [{ name: 'tag', run: 'git tag -s' }] } },
};
const CHANGES = [
  'workflow release',
  '  ~ tag',
  '      - command: git tag "$VERSION"',
  '      + command: git tag -s',
  '',
];

type Repository = Readonly<{
  cwd: string;
  cli: (...words: string[]) => Promise<CommandResult>;
  write: (file: unknown) => void;
  git: (...words: string[]) => void;
}>;

/** A repository with one commit, whose working directory is that of the file. */
function repository(
  t: TestContext,
  files: Readonly<Record<string, unknown>> = { '.cli/workflow.json': FILE },
): Repository {
  const cwd = temporaryDirectory(t, { 'sub/x': '', ...files });
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  const git = (...words: string[]): void => void execFileSync('git', [...identity, ...words], { cwd, stdio: 'ignore' });
  git('init');
  git('add', '.');
  git('commit', '-m', 'first');
  return {
    cwd,
    cli: (...words) => inProcess(t, words, { cwd }),
    write: (file) => writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify(file)),
    git,
  };
}

const neither = (word: string): CommandResult => refused(`${word} is neither a file nor a revision`);

const changed = (...lines: string[]): CommandResult => ({ ...done(lines.join('\n')), code: 1 });

test('`diff` compares the file with HEAD, and exits with 0 if the plans are the same, with 1 if they differ', async (t) => {
  const { cli, write } = repository(t);
  assert.deepEqual(await cli('diff'), done('HEAD and .cli/workflow.json do the same\n'));
  write(EDITED);
  assert.deepEqual(await cli('diff'), changed(...CHANGES));
  assert.deepEqual(await cli('diff', 'release'), changed(...CHANGES));
  assert.deepEqual(await cli('diff', 'docs'), done('HEAD and .cli/workflow.json do the same\n'));
  assert.deepEqual(await cli('diff', 'd'), done('HEAD and .cli/workflow.json do the same\n'));
});

test('the long form of `diff` prints a document', async (t) => {
  const { cli, write } = repository(t);
  write(EDITED);
  const { code, stdout, stderr } = await cli('workflow', 'diff');
  assert.deepEqual({ code, stderr }, { code: 1, stderr: '' });
  const fields = [{ field: 'command', before: 'git tag "$VERSION"', after: 'git tag -s' }];
  const steps = [{ change: 'changed', kind: 'step', path: 'tag', command: 'git tag -s', fields }];
  assert.deepEqual(JSON.parse(stdout), {
    from: 'HEAD',
    to: '.cli/workflow.json',
    same: false,
    workflows: [{ workflow: 'release', change: 'changed', text_changed: true, steps }],
  });
});

test('two revisions or two files can be compared, and a file has precedence over a revision of the same name', async (t) => {
  const { cwd, cli, write, git } = repository(t);
  write(EDITED);
  git('commit', '-a', '-m', 'second');
  git('branch', 'old', 'HEAD~');
  assert.deepEqual(await cli('diff', '--from', 'old', '--to', 'HEAD'), changed(...CHANGES));
  assert.deepEqual(await cli('diff', '--from', 'HEAD~1'), changed(...CHANGES));
  assert.deepEqual(await cli('diff', '--to', 'old', '--from', 'HEAD~1'), done('HEAD~1 and old do the same\n'));
  writeFileSync(join(cwd, 'old'), JSON.stringify(EDITED));
  assert.deepEqual(await cli('diff', '--from', 'old'), done('old and .cli/workflow.json do the same\n'));
  writeFileSync(join(cwd, 'sub/new.json'), JSON.stringify(EDITED));
  const words = ['diff', '--from', 'HEAD~1', '--to', 'new.json'];
  assert.deepEqual(await inProcess(t, words, { cwd: join(cwd, 'sub') }), {
    ...changed(...CHANGES),
    stderr: 'cli: using ../.cli/workflow.json; commands run in ..\n',
  });
});

test('a file that is missing in the revision counts as new, in either direction', async (t) => {
  const { cwd, cli, git } = repository(t, { 'other.txt': '' });
  writeFileSync(join(cwd, 'ci.json'), JSON.stringify({ workflows: { ci: { steps: ['make'] } } }));
  assert.deepEqual(await cli('diff', '-f', 'ci.json'), changed('workflow ci  (added)', '  + step_1  make', ''));
  git('add', '.');
  git('commit', '-m', 'second');
  assert.deepEqual(
    await cli('diff', '-f', 'ci.json', '--from', 'HEAD', '--to', 'HEAD~'),
    changed('workflow ci  (removed)', '  - step_1  make', ''),
  );
  rmSync(join(cwd, 'ci.json'));
  assert.deepEqual(
    await cli('diff', '-f', 'no.json', '--to', 'HEAD'),
    refused('neither HEAD:no.json nor HEAD:no.json exists'),
  );
  const missing = 'cannot read ci.json: it does not exist';
  assert.deepEqual(await cli('diff', '-f', 'ci.json'), refused(missing));
});

test('parameters apply to both sides, and require the name of a workflow', async (t) => {
  const { cli, write } = repository(t);
  write({ workflows: { ...FILE.workflows, release: { ...FILE.workflows.release, env: { VERSION: '1' } } } });
  assert.deepEqual(
    await cli('diff', 'release'),
    changed('workflow release', '  ~ variable VERSION of tag', '      + 1  (env of release)', ''),
  );
  assert.deepEqual(await cli('diff', 'release', 'VERSION:2'), done('HEAD and .cli/workflow.json do the same\n'));
  assert.deepEqual(
    await cli('diff', 'release', 'A-B:2'),
    refused(
      "the key of parameter 1 ('A-B') is not a valid variable name: use letters, digits and underscores, and do not start with a digit",
      'usage: cli run release',
    ),
  );
  assert.deepEqual(
    await cli('diff', 'release', 'VERSION'),
    refused("parameter 1 ('VERSION') is not of the form KEY:VALUE", 'usage: cli run release'),
  );
  assert.equal((await cli('diff', 'VERSION:2')).code, 2);
});

test('a workflow that exists on neither side is rejected, with a suggestion', async (t) => {
  const { cli } = repository(t);
  assert.deepEqual(
    await cli('diff', 'relase'),
    refused(
      "no workflow 'relase' in .cli/workflow.json; did you mean 'release'?",
      'to list the workflows: cli list --all',
    ),
  );
});

test('a word that is neither a file nor a revision is rejected, even with a leading hyphen', async (t) => {
  const { cwd, cli } = repository(t);
  assert.deepEqual(await cli('diff', '--from', 'no-such-branch'), neither("'no-such-branch'"));
  assert.deepEqual(await cli('diff', '--from=-p'), neither("'-p'"));
  assert.deepEqual(await cli('diff', '--to=--output=x'), neither("'--output…'"));
  assert.deepEqual(await cli('diff', '--from', 'HEAD:.cli/workflow.json'), neither("'HEAD…'"));
  assert.deepEqual(await cli('diff', '--from', 'sub'), neither("'sub'"));
  const input = JSON.stringify(FILE);
  assert.deepEqual(
    await inProcess(t, ['diff', '--file', '-'], { cwd, input }),
    refused("standard input has no revision 'HEAD'"),
  );
  assert.deepEqual(
    await inProcess(t, ['diff', '--file', '-', '--from', '.cli/workflow.json'], { cwd, input }),
    done('.cli/workflow.json and <stdin> do the same\n'),
  );
});

test('outside a repository, files can be compared, and a revision is rejected', async (t) => {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': EDITED, 'old.json': FILE });
  assert.deepEqual(await inProcess(t, ['diff', '--from', 'old.json'], { cwd }), changed(...CHANGES));
  const { code, stdout } = await inProcess(t, ['diff'], { cwd });
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
});

test('an invalid file on either side is rejected, with its path and position', async (t) => {
  const { cli, write, git } = repository(t);
  write({ workflows: { release: { steps: [{ rum: 'x' }] } } });
  const { code, stdout, stderr } = await cli('diff');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.ok(stderr.startsWith(".cli/workflow.json:1:35: error: workflow 'release': step 1: missing 'run'"));
  git('commit', '-a', '-m', 'second');
  write(FILE);
  const again = await cli('diff');
  assert.deepEqual([again.code, again.stdout], [2, '']);
  assert.ok(again.stderr.startsWith("HEAD:.cli/workflow.json:1:35: error: workflow 'release': step 1: missing 'run'"));
});

test('an unresolved reference is rejected', async (t) => {
  const { cli, write } = repository(t);
  write({ workflows: { release: { steps: ['echo ${steps.none.X}'] } } });
  const { code, stdout } = await cli('diff');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
});

const included = (command: string): object => ({ workflows: { build: { steps: [command] } } });

test('included files are read from the same revision', async (t) => {
  const { cwd, cli } = repository(t, {
    '.cli/workflow.json': {
      include: { ios: '../ios/workflow.json' },
      workflows: { all: { steps: [{ workflow: 'ios:build' }] } },
    },
    'ios/workflow.json': included('make ios'),
  });
  assert.deepEqual(await cli('diff'), done('HEAD and .cli/workflow.json do the same\n'));
  writeFileSync(join(cwd, 'ios/workflow.json'), JSON.stringify(included('make ios-release')));
  const changes = ['      - command: make ios', '      + command: make ios-release'];
  assert.deepEqual(
    await cli('diff'),
    changed(
      'workflow all  (its own text is the same)',
      '  ~ ios:build/step_1',
      ...changes,
      'workflow ios:build',
      '  ~ step_1',
      ...changes,
      '',
    ),
  );
  rmSync(join(cwd, 'ios'), { recursive: true });
  assert.equal((await cli('diff')).code, 2);
  assert.deepEqual(await cli('diff', '--to', 'HEAD'), done('HEAD and HEAD do the same\n'));
});

test('a file that is moved together with its include counts as unchanged', async (t) => {
  const { cwd, cli, write } = repository(t, {
    '.cli/workflow.json': { include: { ios: '../ios/workflow.json' }, workflows: {} },
    'ios/workflow.json': included('make ios'),
  });
  renameSync(join(cwd, 'ios/workflow.json'), join(cwd, 'ios.json'));
  write({ include: { ios: '../ios.json' }, workflows: {} });
  assert.deepEqual(await cli('diff'), done('HEAD and .cli/workflow.json do the same\n'));
  write({ include: { ios: '../ios.json', ipad: '../ios.json' }, workflows: {} });
  assert.deepEqual(await cli('diff'), changed('workflow ipad:build  (added)', '  + step_1  make ios', ''));
});
