import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that the files of the tests call. Each notes its name, its arguments and its directory. */
const PROGRAMS = {
  tool: '',
  checker: '',
  cc: '',
  gcc: '',
  ar: '',
  ld: '',
  'g++': '',
  fail: 'exit 9',
  lines: "printf '%s\\n' 'line one' 'line two' other",
  show: 'for name; do eval "printf \'%s\\n\' \\"$name=\\${$name-unset}\\""; done >>"$CALLS"',
} as const;

/** Stand-ins in a directory, and the calls of them. */
export type StandIns = Readonly<{ env: Readonly<Record<string, string>>; takeCalls: () => string }>;

/** Creates the stand-ins. `programs` are the directories of other programs; `checker` is the program of a package. */
export function standIns(directory: string, cwd: string, programs: readonly string[]): StandIns {
  const bin = join(directory, 'bin');
  const calls = join(directory, 'calls');
  const packages = join(cwd, 'node_modules/.bin');
  for (const path of [bin, packages]) mkdirSync(path, { recursive: true });
  for (const [name, body] of Object.entries(PROGRAMS)) {
    const path = join(name === 'checker' ? packages : bin, name);
    writeFileSync(
      path,
      `#!/bin/sh\n{ printf %s "\${0##*/}"; for a; do printf ' <%s>' "$a"; done; echo " in \${PWD##*/}"; } >>"$CALLS"\n${body}\n`,
    );
    chmodSync(path, 0o755);
  }
  return {
    env: {
      PATH: [bin, ...programs, '/usr/bin', '/bin'].join(delimiter),
      HOME: directory,
      PWD: cwd,
      CALLS: calls,
      FROM_HOME: 'of the environment',
      FROM_ENVIRONMENT: 'given',
      CLI_NO_JOURNAL: '1',
      npm_config_loglevel: 'silent',
      MAKEFLAGS: 's',
    },
    takeCalls: () => {
      writeFileSync(calls, '', { flag: 'a' });
      const text = readFileSync(calls, 'utf8');
      rmSync(calls);
      return text;
    },
  };
}
