/* The journal contains no secret: every fixture with a secret is recorded, with recognisable values. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseWorkflowFile } from '../../src/frontend/parse.ts';
import { compile } from '../../src/ir/compile.ts';
import { settingsOf } from '../../src/ir/environment.ts';
import { isSecret, secretNames, secretOutputs } from '../../src/ir/secret_names.ts';
import type { Plan, Variable } from '../../src/ir/plan.ts';
import { directoryJournal } from '../../src/records/journal/directory/directory_journal.ts';
import { SessionRecorder } from '../../src/records/journal/session_recorder.ts';
import { createHeader } from '../../src/records/journal/session_header.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { FIXTURES } from '../support/goldens/goldens.ts';
import { contents, HERE, RUN, TRUSTED } from '../support/runs/journal.ts';
import { CHECKER_PARTS } from '../support/plans.ts';

/** The fixtures whose text contains the name of a secret. */
const FILES = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('workflow.json'))
  .map((path) => ({ path, text: readFileSync(join(FIXTURES, path), 'utf8') }))
  .filter(({ text }) => (text.match(/[A-Za-z_]\w*/g) ?? []).some(isSecret) || text.includes('"secret": true'));

/** The plans of all workflows of a file, with a value for each parameter that may be secret; none if the file is invalid. */
function plansOf(text: string): readonly Plan[] {
  const parsed = parseWorkflowFile(Buffer.from(text), CHECKER_PARTS);
  if (parsed.kind !== 'valid') return [];
  const names = new Set((text.match(/[A-Za-z_]\w*/g) ?? []).filter((name) => isSecret(name)));
  const params = [...names].map((name): Variable => [name, `hush-parameter-${name}`]);
  return [[], params].flatMap((given) =>
    [...parsed.file.workflows.keys()].flatMap((workflow) => {
      const result = compile(parsed.file, workflow, given, null);
      return result.kind === 'plan' ? result.plan : [];
    }),
  );
}

/** The values of secrets in a plan, except those in the text of commands, which is recorded as written. */
function secretsOf(plan: Plan): readonly string[] {
  const isSecretName = secretNames(plan);
  const settings = settingsOf(plan);
  const written = JSON.stringify(plan.ops);
  const values = plan.ops.flatMap((op) =>
    [...settings(op.frame)].flatMap(([name, { value }]) => (isSecretName(name) ? value : [])),
  );
  return [...new Set(values)].filter(
    (value) => value.length > 3 && !written.includes(JSON.stringify(value).slice(1, -1)),
  );
}

const unknown = (): undefined => undefined;

/** Records a run in which every command succeeds, with a recognisable output, and returns all bytes of the journal. */
function recorded(t: TestContext, plan: Plan): string {
  const runs = join(temporaryDirectory(t), 'runs');
  const info = { run: RUN, session: 1, plan, at: 0, file: '/w', cwd: '/w', args: 0, from: null, until: null };
  // The pid or the start time of this process may contain the digits of a secret.
  const header = { ...createHeader({ ...info, marker: 'CLI_RUN_1_2' }), ...HERE };
  const begun = directoryJournal(runs, TRUSTED).begin(header);
  assert.ok(begun.kind === 'begun');
  const recorder = new SessionRecorder({
    plan,
    session: begun.session,
    known: unknown,
    now: () => 0,
    warn: assert.fail,
  });
  const isSecretOutput = secretOutputs(plan);
  for (const [index, op] of plan.ops.entries()) {
    if (op.kind === 'parallel') continue;
    recorder.start(index, index, 1);
    const outputs = op.kind === 'run' ? op.options.outputs : [];
    const values = outputs.map(([name]) => [name, isSecretOutput(op, name) ? 'hush-output' : 'shown'] as const);
    const exit = { kind: 'exited', code: 0, outputs: { ok: true, values } } as const;
    recorder.end(index, { exit, failed: false, allowed: false, more: false, interrupted: false });
    if (op.kind === 'condition') recorder.decide(index, true);
  }
  recorder.finish(true, true, undefined);
  return Object.values(contents(runs)).join('\n');
}

test('some fixtures contain secrets', () => assert.ok(FILES.length > 15, String(FILES.length)));

for (const { path, text } of FILES) {
  test(`the journal of ${path} contains no secret`, (t) => {
    for (const plan of plansOf(text)) {
      const bytes = recorded(t, plan);
      for (const secret of secretsOf(plan)) assert.ok(!bytes.includes(secret), `${plan.workflow}: ${secret}`);
      assert.doesNotMatch(bytes, /hush/);
    }
  });
}

test('the check for secrets knows the value of a secret variable', (t) => {
  const [plan] = plansOf('{"workflows":{"ci":{"steps":[{"run":"echo $V","with":{"API_TOKEN":"hidden","V":"x"}}]}}}');
  assert.ok(plan !== undefined);
  assert.deepEqual(secretsOf(plan), ['hidden']);
  assert.match(recorded(t, plan), /"vars":\[\["V","[0-9a-f]{16}"\]\]/);
});
