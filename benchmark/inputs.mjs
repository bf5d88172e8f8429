// The same work in the format of each tool, each in its own directory.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes files (texts, or data as JSON) to a new directory; returns its path. */
export function directory(root, name, files) {
  const path = join(root, name);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return path;
}

/** The members of the group that prints lines. */
export const GROUP_SIZE = 8;

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

const wordyStep = (index) => ({
  name: `step number ${index}`,
  run: `echo "building part ${index} of $COUNT" && make part_${index}`,
});

const referringStep = (index) => ({ name: `step number ${index}`, run: 'echo "${steps.first.VERSION}" && make' });

export const ours = {
  steps: (count, command = 'true') => ({ workflows: { one: { steps: times(count, () => command) } } }),
  /** Steps of realistic length, about 100 bytes each. */
  wordySteps: (count) => ({ workflows: { one: { steps: times(count, wordyStep) } } }),
  /** A chain of calls, each with its own variables. */
  chain: (depth, env = {}) => ({
    workflows: Object.fromEntries(
      times(depth, (index) => {
        const call = { workflow: `w${index + 1}`, with: { DEPTH: `${index}`, ...env } };
        return [`w${index}`, { env: { [`E${index}`]: 'x' }, steps: [index + 1 < depth ? call : 'true'] }];
      }),
    ),
  }),
  /** A file that is half comments. With 90,000 longer steps, it would exceed the size limit. */
  comments: (count) => {
    const lines = times(count, (index) => {
      const step = JSON.stringify({ name: `step ${index}`, run: `make part_${index}` });
      return `// ${'why it is so; '.repeat(step.length).slice(0, step.length - 3)}\n${step}`;
    });
    return `{"workflows": {"one": {"steps": [\n${lines.join(',\n')}\n]}}}`;
  },
  /** Steps at the end of a chain of calls 20 levels deep. */
  deepCalls: (count) => {
    const names = times(20, (depth) => (depth === 0 ? 'one' : `level${depth}`));
    const last = [names.at(-1), { steps: times(count, wordyStep) }];
    const calls = names.slice(0, -1).map((name, depth) => [name, { steps: [{ workflow: names[depth + 1] }] }]);
    return { workflows: Object.fromEntries([...calls, last]) };
  },
  /** Steps, of which 1,000 refer to an output of an earlier one. */
  references: (count) => {
    const first = { name: 'first', run: 'echo "{}"', outputs: { VERSION: '$.version' } };
    const every = Math.max(1, Math.floor(count / 1000));
    const rest = times(count - 1, (index) => (index % every === 0 ? referringStep(index) : wordyStep(index)));
    return { workflows: { one: { steps: [first, ...rest] } } };
  },
  /** A file that includes others, each with one workflow, and the same workflows in one file. */
  included: (files, steps) => {
    const names = times(files, (index) => `part${index}`);
    const included = { workflows: { build: { steps: times(steps, wordyStep) } } };
    const include = Object.fromEntries(names.map((name) => [name, `${name}.json`]));
    return {
      '.cli/workflow.json': { include, workflows: {} },
      ...Object.fromEntries(names.map((name) => [`.cli/${name}.json`, included])),
      'one.json': { workflows: Object.fromEntries(names.map((name) => [`${name}:build`, included.workflows.build])) },
    };
  },
  /** Workflows with one step each, for completion. */
  workflows: (count) => ({
    workflows: Object.fromEntries(times(count, (index) => [`task_${index}`, { steps: ['true'] }])),
  }),
  /** A group whose members print lines. */
  printing: (count, lines) => ({
    workflows: {
      one: { steps: [{ parallel: times(count, (index) => ({ name: `m${index}`, run: `seq ${lines}` })) }] },
    },
  }),
  /** A file of one step, and records of runs without an entry in the state directory, which makes them foreign. */
  foreignRecords: (count) => {
    const machine = { pid: 1, started: '1', boot: 'boot', space: 'pid:[1]', host: 'elsewhere', uid: 1000 };
    const place = { workflow: 'one', file: '/w/.cli/workflow.json', cwd: '/w', params: [], args: 0 };
    const at = '2026-01-01T00:00:00.000Z';
    const rest = { from: null, until: null, marker: 'CLI_RUN_1_2', at, ...machine };
    const end = { kind: 'finish', success: true, whole: true, interrupted: null, at };
    const recordOf = (run) => [{ kind: 'session', version: 1, tool: '0.1.0', run, session: 1, ...place, ...rest }, end];
    const text = (run) =>
      `${recordOf(run)
        .map((each) => JSON.stringify(each))
        .join('\n')}\n`;
    const ids = times(count, (index) => `20260101-000000-${String(index).padStart(5, '0')}`);
    return {
      '.cli/workflow.json': ours.steps(1),
      ...Object.fromEntries(ids.map((run) => [`.cli/runs/${run}/session-1.ndjson`, text(run)])),
    };
  },
  errors: (count) => ({ workflows: { one: { steps: times(count, () => ({ run: 'true', nosuch: 1 })) } } }),
};

/** The shell command of a step, in every tool. */
export const SHELL = ['bash', '--norc', '-o', 'pipefail', '-c'];
const inShell = (command) => `${SHELL.join(' ')} ${command}`;

export const peers = {
  just: (count, command = 'true') => ({
    justfile: `set shell := ${JSON.stringify(SHELL)}\none:\n${times(count, () => `  @${command}\n`).join('')}`,
  }),
  make: (count, command = 'true') => ({
    Makefile:
      `SHELL = /bin/bash\n.SHELLFLAGS = --norc -o pipefail -c\n.PHONY: one\none:\n` +
      // Without the colon, make would recognise that no shell is needed, and not start one.
      times(count, () => `\t@${command === 'true' ? ': ; true' : command}\n`).join(''),
  }),
  mise: (count) => ({
    'mise.toml': `[tasks.one]\nquiet = true\nshell = "${SHELL.join(' ')}"\nrun = [${times(count, () => '"true"').join()}]\n`,
  }),
  deno: (count) => ({ 'deno.json': { tasks: { one: times(count, () => inShell('true')).join(' && ') } } }),
  /** For pnpm, npm and bun, in which a script is a single command line. */
  scripts: (count) => ({
    'package.json': { name: 'x', private: true, scripts: { one: times(count, () => inShell('true')).join(' && ') } },
  }),
  /** Members that print lines, each prefixed with the member's name. just has no such prefixes. */
  printing: {
    sed: (count, lines) =>
      `${times(count, (index) => `${inShell(`'seq ${lines}'`)} | sed 's/^/m${index} │ /' &`).join(' ')} wait`,
    parallel: (count, lines) =>
      `parallel --will-cite --line-buffer --tag -j${count} "${inShell(`'seq ${lines}'`)} #" ::: ${times(count, (index) => `m${index}`).join(' ')}`,
    scripts: (count, lines) => ({
      'package.json': {
        name: 'x',
        private: true,
        scripts: Object.fromEntries(times(count, (index) => [`m${index}`, inShell(`'seq ${lines}'`)])),
      },
    }),
    just: (count, lines) => ({
      justfile:
        `set shell := ${JSON.stringify(SHELL)}\n[parallel]\none: ${times(count, (index) => `m${index}`).join(' ')}\n` +
        times(count, (index) => `m${index}:\n  @seq ${lines}\n`).join(''),
    }),
  },
  zx: (count) => ({
    'one.mjs': `$.verbose = false;\nfor (let i = 0; i < ${count}; i += 1) await $({ stdio: ['ignore', 2, 2] })\`true\`;\n`,
  }),
  wireit: () => ({
    'package.json': { name: 'x', private: true, scripts: { one: 'wireit' }, wireit: { one: { command: 'true' } } },
  }),
  turbo: () => ({
    'package.json': {
      name: 'x',
      private: true,
      packageManager: 'npm@11.0.0',
      scripts: { one: 'true' },
      workspaces: [],
    },
    'package-lock.json': { lockfileVersion: 3, packages: {} },
    'turbo.json': { tasks: { one: { cache: false } } },
  }),
};
