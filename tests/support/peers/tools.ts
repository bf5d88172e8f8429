import { delimiter, join } from 'node:path';
import { COMMAND, ROOT } from '../cli.ts';

/** What the file of a project contains beside its tasks: the command of `build`, and a comment. */
export type Contents = Readonly<{ command: string; comment: string }>;

/** A tool, with the file for a project, and the command that runs a task of it. */
export type Tool = Readonly<{
  name: string;
  file: string;
  text: (contents: Contents) => string;
  command: (task: string) => readonly [string, ...string[]];
  env: Readonly<Record<string, string | undefined>>;
}>;

const installed = (path: string): string => join(ROOT, 'tools', path);
const JUST = installed('just/node_modules/rust-just-linux-x64/bin/just');
const MISE = installed('peers/node_modules/@jdxcode/mise-linux-x64/bin/mise');
const WIREIT = installed('peers/node_modules/.bin');

const BASE = 'echo run >>base.log';

/*
 * Each project has a task `build`, which makes `out` from the files that match `src/*.txt` and the variable MODE, and a
 * task `all`, of which both dependencies depend on `base`.
 */

const cli: Tool = {
  name: 'cli',
  file: '.cli/workflow.json',
  text: ({ command, comment }) => {
    const build = { run: command, with: { MODE: '${vars.MODE:-}' }, sources: ['src/*.txt'], generates: ['out'] };
    const workflows = {
      build: { steps: [build] },
      all: { steps: [{ parallel: [{ workflow: 'one' }, { workflow: 'two' }] }] },
      one: { steps: [{ workflow: 'base' }] },
      two: { steps: [{ workflow: 'base' }] },
      base: { once: true, steps: [BASE] },
    };
    return `// ${comment}\n${JSON.stringify({ workflows })}`;
  },
  command: (task) => [...COMMAND, 'run', task],
  env: {},
};

const make: Tool = {
  name: 'make',
  file: 'Makefile',
  text: ({ command, comment }) => `# ${comment}
.PHONY: build all one two base
.DELETE_ON_ERROR:
build: out
out: $(wildcard src/*.txt)
\t${command.replaceAll('$', '$$$$')}
all: one two
one two: base
base:
\t${BASE}
`,
  command: (task) => ['make', task],
  env: { MAKEFLAGS: '' },
};

const just: Tool = {
  name: 'just',
  file: 'justfile',
  text: ({ command, comment }) => `# ${comment}
set unstable
set lists
export MODE := env('MODE', '')
[cache(inputs=["src/a.txt", "src/b.txt"], outputs="out")]
[script]
build:
  ${command}
all: one two
one: base
two: base
base:
  ${BASE}
`,
  command: (task) => [JUST, task],
  env: {},
};

const mise: Tool = {
  name: 'mise',
  file: 'mise.toml',
  text: ({ command, comment }) => `# ${comment}
[tasks.build]
run = '${command}'
sources = ["src/*.txt"]
outputs = ["out"]
[tasks.all]
depends = ["one", "two"]
[tasks.one]
depends = ["base"]
[tasks.two]
depends = ["base"]
[tasks.base]
run = '${BASE}'
`,
  command: (task) => [MISE, 'run', task],
  env: { MISE_TRUSTED_CONFIG_PATHS: '/', MISE_OFFLINE: '1' },
};

const wireit: Tool = {
  name: 'wireit',
  file: 'package.json',
  text: ({ command, comment }) => {
    const tasks = {
      build: { command, files: ['src/*.txt'], output: ['out'], env: { MODE: { external: true } } },
      all: { dependencies: ['one', 'two'] },
      one: { dependencies: ['base'] },
      two: { dependencies: ['base'] },
      base: { command: BASE },
    };
    const scripts = Object.fromEntries(Object.keys(tasks).map((name) => [name, 'wireit']));
    return JSON.stringify({ description: comment, scripts, wireit: tasks });
  },
  command: (task) => ['npm', 'run', '--silent', task],
  env: { PATH: [WIREIT, process.env['PATH']].join(delimiter) },
};

export const TOOLS: readonly Tool[] = [cli, make, just, mise, wireit];
