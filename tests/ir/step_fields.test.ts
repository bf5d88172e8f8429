/* A field that the schema accepts, but the compiler or the interpreter ignores, would pass `validate` and have no effect. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StepFields } from '../../src/frontend/schema/step_fields.ts';
import { disassemble } from '../../src/ir/views/disassembly.ts';
import { cli, workflowDirectory } from '../support/cli.ts';
import { quickCli } from '../support/in_process.ts';
import { compiled } from '../support/plans.ts';

type Step = Readonly<Record<string, unknown>>;

/** A step without the field, and a value that makes a difference to it. A new field does not compile without a case. */
const CASES: Readonly<Record<keyof typeof StepFields.entries, readonly [step: Step, value: unknown]>> = {
  run: [{ run: 'echo one' }, 'echo two'],
  workflow: [{ workflow: 'one' }, 'two'],
  name: [{ run: 'true' }, 'named'],
  if: [{ run: 'true' }, 'UNSET'],
  with: [{ run: 'test -n "$A"' }, { A: 'a' }],
  matrix: [{ run: 'test -n "$A"' }, { A: ['a', 'b'] }],
  dir: [{ run: 'test -e ../.cli' }, 'below'],
  secrets: [{ run: 'printenv KEY' }, ['KEY']],
  sources: [{ run: 'true' }, ['.cli/workflow.json']],
  generates: [{ run: 'true', sources: ['.cli/workflow.json'] }, ['never made']],
  outputs: [{ name: 'give', run: "echo '[1]'" }, { A: '$[0]' }],
  retry: [{ run: 'false' }, { max_attempts: 2, delay: '1ms' }],
  timeout: [{ run: 'sleep 2' }, '100ms'],
  allow_failure: [{ run: 'false' }, true],
  on_crash: [{ run: 'kill -9 $PPID' }, 'fail'],
  on_resume: [{ name: 'set up', run: 'mkdir below/once' }, 'rerun'],
  confirm: [{ run: 'true', if: 'test 1' }, 'Really?'],
  background: [{ run: 'touch below/server; sleep 0.1; exit 3' }, true],
  ready: [{ run: 'sleep 9', background: true }, { port: 1 }],
  parallel: [{ parallel: ['true'] }, ['false']],
  max_parallel: [{ parallel: ['sleep 1; test -e below/second', 'touch below/second'] }, 1],
  fail_fast: [{ parallel: ['exit 3', 'sleep 5'] }, true],
  output: [{ parallel: ['echo one'] }, 'grouped'],
};

/** Fails once. */
const LATER = 'test -e below/later || ! touch below/later';

function fileOf(step: Step): object {
  return {
    ...('secrets' in step && { secrets: { KEY: { command: ['echo', 'value'] } } }),
    workflows: {
      ci: { steps: ['mkdir -p below', step, ...(step['name'] === 'set up' ? [LATER] : [])] },
      one: { steps: ['true'] },
      two: { steps: ['false'] },
    },
  };
}

function planOf(file: object): string {
  return [...disassemble(compiled(JSON.stringify(file), 'ci'))].join('\n');
}

describe('fields of a step', { concurrency: 2 }, () => {
  for (const field of Object.keys(StepFields.entries)) {
    test(`the field ${field} of a step changes the plan and the run`, async (t) => {
      const found = Object.entries(CASES).find(([name]) => name === field)?.[1];
      assert.ok(found !== undefined, `no case for '${field}'`);
      const [step, value] = found;
      const [without, having] = [fileOf(step), fileOf({ ...step, [field]: value })];
      assert.notEqual(planOf(having), planOf(without));
      const resultOf = async (file: object): Promise<unknown> => {
        // A step that kills its run needs one in a process.
        const tool = field === 'on_crash' ? cli : quickCli;
        const where = { cwd: workflowDirectory(t, file), env: { CLI_NO_JOURNAL: undefined } };
        // A success is recorded for the next run.
        if (field === 'sources' || field === 'generates') await tool(['workflow', 'run', 'ci'], where);
        const { code, stdout, stderr } = await tool(['workflow', 'run', 'ci'], where);
        // The fields determine how a killed or failed run is resumed.
        if (field === 'on_crash' || field === 'on_resume')
          return (await tool(['workflow', 'resume', '--last'], where)).code;
        // The document does not depend on how output is printed.
        return [code, JSON.parse(stdout), stderr.includes('│')];
      };
      assert.notDeepEqual(await resultOf(having), await resultOf(without));
    });
  }
});
