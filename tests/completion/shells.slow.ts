/*
 * Tab in real shells. The typed line is completed and entered, and the document of the workflow contains the name that
 * arrived. In the shells, only completion calls the tool: a line that is entered leaves its arguments.
 */
import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { COMMAND_LINE, temporaryDirectory } from '../support/cli.ts';
import { quickCli } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';
import { terminal } from '../support/processes/terminal.ts';

const NASTY = 'it\'s "q" $HOME $(touch x) `touch y` !z';
const NAMES = [
  'my name',
  NASTY,
  'build:all',
  'build:one',
  'a\\b',
  'grün 🐎',
  'x*?[a]{b,c}',
  'k=v;|&<>(',
  '~tilde',
  '--odd',
  'end:',
];
const FILE = {
  workflows: {
    ...Object.fromEntries(NAMES.map((name) => [name, { steps: [] }])),
    hidden: { private: true, steps: [] },
    release: { env: { MODE: 'slow' }, steps: [{ name: 'tag it', run: 'true "$VERSION" "$MODE"' }] },
  },
};
const OTHER = { workflows: { there: { steps: [] } } };

const run = (name: string): string => `{"workflow":${JSON.stringify(name)},"steps":[],"success":true}`;
const released = (env: string): string =>
  `{"workflow":"release","dry_run":true,"steps":[{"name":"tag it","command":"true \\"$VERSION\\" \\"$MODE\\"","env":${env}}]}`;

/** Keys, and the resulting document. */
const KEYS: readonly (readonly [keys: string, document: string])[] = [
  ['cli workflow run my\t', run('my name')],
  ['cli workflow run it\t', run(NASTY)],
  ["cli workflow run 'it\t", run(NASTY)],
  ['cli workflow run "it\t', run(NASTY)],
  ['cli workflow run build:a\t', run('build:all')],
  ['cli workflow run bui\to\t', run('build:one')],
  ['cli workflow run "build:o\t', run('build:one')],
  ['cli workflow run a\t', run('a\\b')],
  ['cli workflow run gr\t', run('grün 🐎')],
  ['cli workflow run x\t', run('x*?[a]{b,c}')],
  ['cli workflow run k\t', run('k=v;|&<>(')],
  ['cli workflow run \\~t\t', run('~tilde')],
  ['cli workflow run -- --o\t', run('--odd')],
  ['cli workflow run end\t', run('end:')],
  ['cli workflow run hid\t', run('hidden')],
  ['cli workf\trun rel\tVER\t1.2 --dr\t', released('{"MODE":"slow","VERSION":"1.2"}')],
  ['cli workflow run release MO\tfast --dry-run VERSION:1.2\t', released('{"MODE":"fast","VERSION":"1.2"}')],
  ['cli workflow run --fi\toth\tth\t', run('there')],
  ['cli workflow run --file=oth\tth\t', run('there')],
];

/** A shell and its startup file. The prompt counts the entered lines. */
type Shell = Readonly<{ file: string; args: readonly string[]; lines: readonly string[] }>;

/** The startup file of every shell, which has the name that zsh requires. */
const SHELLS: readonly Shell[] = [
  {
    file: 'bash',
    args: ['--rcfile', '../.zshrc', '-i'],
    lines: [String.raw`PS1='ready \#> '`, 'source <(cli completion bash)'],
  },
  {
    file: 'zsh',
    args: ['-i'],
    lines: ["PS1='ready %h> '", 'autoload compinit; compinit -u -D', 'source <(cli completion zsh)'],
  },
  {
    file: 'fish',
    // With its whole configuration, the shell would read the manual pages of the machine first.
    args: ['--no-config', '--init-command', 'source ../.zshrc'],
    lines: [
      'set -g count 1',
      'function count_up --on-event fish_postexec; set -g count (math $count + 1); end',
      'function fish_prompt; echo -n "ready $count> "; end',
      'cli completion fish | source',
    ],
  },
];

describe('Tab', { concurrency: 3 }, () => {
  for (const { file, args, lines } of SHELLS) {
    const options = needs('python3', ...(file === 'bash' ? [] : [file]));
    test(`${file} completes names with any characters, and executes none of them`, options, async (t) => {
      const place = temporaryDirectory(t, {
        'bin/cli': `#!/bin/sh\n[ "$1" != completion ] || exec ${COMMAND_LINE} "$@"\nprintf '%s\\0' "$@"; echo\n`,
        'work/.cli/workflow.json': FILE,
        'work/other file.json': OTHER,
        '.zshrc': `${lines.join('\n')}\n`,
        lines: '',
      });
      chmodSync(join(place, 'bin/cli'), 0o755);
      const { enter, leave } = await start(t, file, args, place);
      for (const [keys] of KEYS) await enter(`${keys} >>../lines`);
      await leave();
      assert.deepEqual(readdirSync(join(place, 'work')), ['.cli', 'other file.json']);
      const documents: string[] = [];
      for (const line of readFileSync(join(place, 'lines'), 'utf8').split('\n').slice(0, -1)) {
        const { stdout } = await quickCli(line.split('\0').slice(0, -1), { cwd: join(place, 'work') });
        documents.push(stdout);
      }
      assert.deepEqual(
        documents,
        KEYS.map(([, document]) => `${document}\n`),
      );
    });
  }
});

interface Session {
  /** Enters a line, and resolves when the shell is ready for the next one. */
  readonly enter: (line: string) => Promise<void>;
  readonly leave: () => Promise<unknown>;
}

async function start(t: TestContext, shell: string, args: readonly string[], place: string): Promise<Session> {
  const path = `${join(place, 'bin')}:${process.env['PATH'] ?? ''}`;
  const ours = { PATH: path, HOME: place, ZDOTDIR: place, INPUTRC: '/dev/null', TERM: 'dumb', LC_ALL: 'C.UTF-8' };
  const unset = ['HISTFILE', 'PROMPT_COMMAND', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'].map((name) => [name, undefined]);
  const shown = terminal(t, join(place, 'work'), shell, args, { ...Object.fromEntries(unset), ...ours });
  let number = 1;
  await shown.shows(`ready ${number}> `);
  return {
    enter: async (line) => {
      number += 1;
      shown.type(`${line}\n`);
      await shown.shows(`ready ${number}> `);
    },
    leave: () => {
      shown.type('exit\n');
      return shown.ended;
    },
  };
}
