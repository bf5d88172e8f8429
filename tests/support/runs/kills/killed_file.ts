import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../cli.ts';
import type { Random } from '../../random/random.ts';
import { instancesOf, randomSteps, writtenSteps, type EditedFile } from '../random_edits.ts';

/** A file of at most 14 steps, whose last step reads an output of the first one. */
export function randomKilledFile(random: Random): EditedFile {
  for (;;) {
    const file = randomSteps(random, { conditions: 0.15, matrices: 0.15 });
    const steps = file.get('ci');
    steps?.unshift({ kind: 'command', name: 'give', run: 'give', values: [], condition: null });
    steps?.push({ kind: 'command', name: null, run: 'took', values: [], condition: null });
    if (instancesOf(file).length <= 14) return file;
  }
}

/** The command of a step as written in the file. */
export function commandOf(run: string): string {
  if (run === 'took') return '. ./step.bash took ${steps.give.X}';
  return `. ./step.bash ${run.replace('$V', '"$V"')}`;
}

/** The command that never succeeds, which is allowed. If an edit replaces it, its failure is not allowed any more. */
export const ALLOWED = 'notify';

/** The file to which all commands write: a step that reads it is never up to date. */
const CHECKED = { sources: ['effects'] };

/** How some commands are run. */
const OPTIONS: Readonly<Record<string, object>> = {
  give: { outputs: { X: 'text' } },
  test: { retry: { max_attempts: 2, delay: '20ms' }, ...CHECKED },
  [ALLOWED]: { allow_failure: true },
  'tag $V': { on_crash: 'rerun', ...CHECKED },
  'use $V': { on_crash: 'fail' },
};

const HOOKS = ['before_all', 'after_all', 'error', 'finally'].map((name) => [name, `. ./step.bash ${name}`] as const);

/** Returns a function for the hooks of the workflows of a file. Workflows that edits add have hooks, too. */
export function randomHooks(random: Random): (workflow: string) => object {
  const choices = [[], ['finally'], ['error', 'finally'], ['error', 'finally']];
  const chosen = new Map(['ci', 'v', 'w', 'x'].map((name) => [name, random.pick(choices)]));
  return (workflow) => {
    const names = chosen.get(workflow) ?? chosen.get('x') ?? [];
    return Object.fromEntries(names.map((name) => [name, `. ./step.bash own ${name} ${workflow}`]));
  };
}

/** Writes a file, and returns its text. */
export function writeKilledFile(cwd: string, file: EditedFile, hooks: (workflow: string) => object): string {
  const written = writtenSteps(file, {
    command: (run) => ({ run: commandOf(run), ...OPTIONS[run] }),
    condition: (answer) => `. ./step.bash if ${answer}`,
    hooks,
  });
  copyFileSync(join(ROOT, 'tests/support/runs/kills/step.bash'), join(cwd, 'step.bash'));
  const text = JSON.stringify({ ...Object.fromEntries(HOOKS), ...written });
  writeFileSync(join(cwd, '.cli/workflow.json'), text);
  return text;
}
