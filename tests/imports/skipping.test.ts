/* What make, just or go-task skips, the converted file skips. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { beside, converted } from '../support/imports/converted.ts';

const nothing = (): void => undefined;

function write(name: string, text: string): (cwd: string) => void {
  return (cwd) => writeFileSync(join(cwd, name), text);
}

function remove(name: string): (cwd: string) => void {
  return (cwd) => rmSync(join(cwd, name));
}

const MAKEFILE = `OUT = out
.PHONY: all check setup
all: app {page} check ## Everything
app: main.o util.o
	@echo app >>log
	-@false
	@cat main.o util.o >app; echo linked >>log
main.o: main.c common.h | setup
	@echo main >>log
	@cat main.c common.h >main.o  # main
util.o: util.c common.h | setup
	@echo util >>log; cat util.c common.h >util.o
common.h: config
	@echo config >>log; cp config common.h
{page}: app
	@echo page >>log
	@cp app '{page}'
setup:
	@echo setup >>log
check: app
	@echo check >>log
`;

test('of a converted Makefile, the files that make skips are skipped, and shared prerequisites run once', async (t) => {
  const files = { Makefile: MAKEFILE, config: '1', 'main.c': 'm', 'util.c': 'u' };
  const { workflows, leftOut } = await beside(
    t,
    'Makefile',
    files,
    ['make', 'all'],
    [
      [nothing, 'config\nsetup\nmain\nutil\napp\nlinked\npage\ncheck\n'],
      [nothing, 'setup\ncheck\n'],
      [write('util.c', 'other'), 'setup\nutil\napp\nlinked\npage\ncheck\n'],
      [remove('{page}'), 'setup\npage\ncheck\n'],
      [write('config', '2'), 'config\nsetup\nmain\nutil\napp\nlinked\npage\ncheck\n'],
      [nothing, 'setup\ncheck\n'],
    ],
  );
  assert.equal(leftOut, '');
  assert.deepEqual(workflows['app'], {
    once: true,
    steps: [
      { workflow: 'main.o' },
      { workflow: 'util.o' },
      {
        run: ['(echo app >>log)', '(false) || true', '(set +e; cat main.o util.o >app; echo linked >>log)'],
        sources: ['main.o', 'util.o'],
        generates: ['app'],
      },
    ],
  });
  assert.deepEqual(workflows['{page}'], {
    steps: [
      { workflow: 'app' },
      { run: ['(echo page >>log)', "(cp app '{page}')"], sources: ['app'], generates: ['\\{page}'] },
    ],
  });
});

test('a target with a phony prerequisite, a call between its commands or an unknown .PHONY is made every time', async (t) => {
  const files = {
    Makefile: `.PHONY: always
all: needs-phony called
needs-phony: always
	@echo made >>log; touch needs-phony
called:
	@echo before >>log
	@$(MAKE) needs-phony
	@touch called
always:
`,
  };
  const { workflows, leftOut, run } = await converted(t, 'Makefile', files);
  assert.equal(leftOut, "cli: warning: target 'called' is a file (it is not .PHONY), and is made in every run\n");
  assert.doesNotMatch(JSON.stringify(workflows), /sources|once/);
  assert.deepEqual([await run('all'), await run('all')], ['made\nbefore\nmade\n', 'made\nbefore\nmade\n']);
  const unknown = { Makefile: 'x:\n\t@echo x >x\n.PHONY: $(shell echo x)\n' };
  const other = await converted(t, 'Makefile', unknown);
  assert.deepEqual(
    [other.workflows, other.leftOut],
    [
      { x: { steps: ['echo x >x'] } },
      "cli: warning: target 'x' is a file (it is not .PHONY), and is made in every run\n",
    ],
  );
});

const JUSTFILE = `set unstable
set lists
dir := "out"
all: app check
[cache(inputs=[dir / "lib", "main"], outputs="out/app")]
[script]
app: lib
  echo app >>log
  cat out/lib main >out/app
[cache(inputs="lib.in", outputs=[dir / "lib"])]
[script]
lib: setup
  echo lib >>log
  cp lib.in out/lib
[cache(inputs="main")]
[script]
check: setup
  echo check >>log
[cache]
[script]
setup:
  mkdir -p out
`;

test('of a converted justfile, the recipes with [cache] that just skips are skipped', async (t) => {
  const files = { justfile: JUSTFILE, main: 'm', 'lib.in': 'l' };
  const { workflows, leftOut } = await beside(
    t,
    'justfile',
    files,
    ['just', 'all'],
    [
      [nothing, 'lib\napp\ncheck\n'],
      [nothing, ''],
      [write('main', 'other'), 'app\ncheck\n'],
      [remove('out/app'), 'app\n'],
      [write('lib.in', 'other'), 'lib\napp\n'],
      [nothing, ''],
    ],
  );
  assert.equal(leftOut, "cli: warning: attribute 'cache' of recipe 'setup' is left out\n");
  assert.deepEqual(workflows['app'], {
    steps: [
      { workflow: 'lib' },
      {
        run: 'set -e\necho app >>log\ncat out/lib main >out/app',
        sources: ['out/lib', 'main'],
        generates: ['out/app'],
      },
    ],
  });
  assert.deepEqual(workflows['setup'], { once: true, steps: ['mkdir -p out'] });
});

const TASKFILE = `version: '3'
tasks:
  all: { deps: [app, page], cmds: [echo all >>log] }
  app:
    deps: [setup]
    prompt: Compile?
    dir: src
    vars: { OUT: app }
    cmds:
      - echo app >>../log
      - cmd: exit 3
        ignore_error: true
      - cat *.c >{{.OUT}}
    sources: ['*.c', { exclude: '*_test.c' }]
    generates: ['{{.OUT}}']
  page:
    deps: [setup]
    sources: [page.in]
    method: timestamp
    cmds:
      - echo page >>log
  setup: { run: once, cmds: [echo setup >>log] }
  status: { sources: [a], status: ['true'], cmds: [echo status] }
  none: { sources: [a], method: none, cmds: [echo none] }
  home: { sources: [~/a], cmds: [echo home] }
  between: { sources: [a], cmds: [echo a, { task: setup }] }
`;

test('of a converted Taskfile, tasks with sources are skipped while these are the same', async (t) => {
  const files = { 'Taskfile.yml': TASKFILE, 'src/a.c': 'a', 'src/a_test.c': 'test', 'page.in': 'p' };
  const { cwd, workflows, leftOut, run } = await converted(t, 'Taskfile.yml', files);
  const lines = async (): Promise<string[]> => (await run('all')).split('\n').toSorted();
  assert.deepEqual(await lines(), ['', 'all', 'app', 'page', 'setup']);
  assert.equal(await run('all'), 'setup\nall\n');
  write('src/a_test.c', 'other')(cwd);
  write('page.in', 'other')(cwd);
  assert.equal(await run('all'), 'setup\npage\nall\n');
  write('src/b.c', 'new')(cwd);
  assert.equal(await run('all'), 'setup\napp\nall\n');
  assert.deepEqual(leftOut.split('\n'), [
    "cli: warning: 'sources' of tasks 'status', 'none', 'home', 'between' is left out: they run every time",
    "cli: warning: 'status' of task 'status' is left out: it runs every time",
    '',
  ]);
  assert.deepEqual(workflows['app'], {
    dir: 'src',
    steps: [
      { workflow: 'setup' },
      {
        run: ['(echo app >>../log)', '(exit 3) || true', '(cat *.c >app)'],
        sources: ['*.c', '!*_test.c'],
        generates: ['app'],
        confirm: 'Compile?',
      },
    ],
  });
  assert.deepEqual(workflows['setup'], { once: true, dir: '.', steps: ['echo setup >>log'] });
});

test('the deps of a converted task start together, also where one of them waits for another', async (t) => {
  const { workflows, leftOut, run } = await converted(t, 'Taskfile.yml', {
    'Taskfile.yml': `version: '3'
tasks:
  all: { deps: [waiting, ready], cmds: [echo all >>log] }
  waiting: 'until [ -e ready ]; do sleep 0.01; done; echo waited >>log'
  ready: touch ready
`,
  });
  assert.deepEqual(
    [leftOut, workflows['all']],
    ['', { steps: [{ parallel: [{ workflow: 'waiting' }, { workflow: 'ready' }] }, 'echo all >>log'] }],
  );
  assert.equal(await run('all'), 'waited\nall\n');
});
