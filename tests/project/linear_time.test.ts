import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemMessage } from '../../src/backend/system/try_system_call.ts';
import { inputVariables } from '../../src/cli/completion/input_variables.ts';
import { looksNegative } from '../../src/frontend/lint/conditions.ts';
import { shellVariables } from '../../src/frontend/lint/shell_variables.ts';
import { parseJsonPath } from '../../src/frontend/references/json_path.ts';
import { findInValue, findReferences } from '../../src/frontend/references/step_references.ts';
import { millisecondsOf } from '../../src/frontend/schema/duration.ts';
import { isSecret } from '../../src/ir/secret_names.ts';
import { attemptsOf } from '../../src/records/journal/fold_history.ts';
import { escapeForTerminal, escapeJson } from '../../src/cli/output/escape.ts';
import { widthOf } from '../../src/cli/output/text_width.ts';
import { escapeMarkup } from '../../src/cli/reporters/file/escape_markup.ts';
import { truncateLabel } from '../../src/base/truncate.ts';
import { toolInProcess } from '../support/in_process.ts';
import { end, start } from '../support/runs/journal.ts';
import { timed } from '../support/cpu_time.ts';

/** The functions with patterns that match text of users, each with texts at which a match can start repeatedly. */
const READERS: readonly (readonly [name: string, read: (text: string) => unknown, pieces: readonly string[]])[] = [
  [
    'the variables of a command',
    shellVariables,
    ['$x\n#\n', '\n', ' ', 'export -a ', "$'\\'", '"\\"', '${steps.', '[ '],
  ],
  ['the variables that Tab suggests', inputVariables, ['$x for -', 'read -a ', 'A', 'A=$A ', '\n']],
  ['the references of a command', findReferences, ['${steps.a.b ', '${steps.a.X:-', '${steps.a.X}<<E\n']],
  ['the references of a value', findInValue, ['${steps.', '${steps.a.X:-', '${steps.a.X:-$', '${']],
  ['a JSON path', parseJsonPath, ['$ ', '$[', "$['\\"]],
  ['a line for a terminal', escapeForTerminal, [' ', '\n', '::', ' ::', '##[']],
  ['a document for a terminal', escapeJson, [' ', '\n', ':: ']],
  ['the width of a text', widthOf, ['\x1b[1', 'é', '\u0301']],
  ['a label', truncateLabel, [' ', '\x07', '\ud800']],
  ['a file of markup', escapeMarkup, ['<', '&amp']],
  ['a name that may be secret', isSecret, ['API_', 'PASS', 'A']],
  ['a value that may be negative', looksNegative, [' ', 'no ']],
  ['a duration', millisecondsOf, ['1', '1h']],
  ['a message of the system', (text) => systemMessage(new Error(text)), [", a '", ', a', ', ']],
];

const SIZES = [2 ** 16, 2 ** 18] as const;

function repeat(piece: string, size: number): string {
  return piece.repeat(Math.ceil(size / piece.length));
}

/**
 * Four times the text may take about four times as long. A quadratic pattern takes sixteen times as long, which is
 * seconds. A second measurement excludes a pause of the process.
 */
async function assertLinear(run: (size: number) => unknown): Promise<void> {
  const { seconds: small } = await timed(() => run(SIZES[0]));
  const isLinear = (seconds: number): boolean => seconds <= 7 * small + 0.1;
  const { seconds: large } = await timed(() => run(SIZES[1]));
  if (isLinear(large)) return;
  const { seconds: again } = await timed(() => run(SIZES[1]));
  assert.ok(isLinear(again), `${small} s, and ${large} s and ${again} s for four times as much`);
}

for (const [name, read, pieces] of READERS) {
  test(`any text takes linear time to read as ${name}`, async () => {
    for (const piece of pieces) await assertLinear((size) => read(repeat(piece, size)));
  });
}

test('any text in a file takes linear time to validate', async (t) => {
  const tool = toolInProcess(t);
  for (const piece of ['$x\n#\n', ' ', '"', '::', '${steps.a.X}']) {
    await assertLinear((size) => {
      const text = repeat(piece, size);
      const steps = [
        { name: 'a', run: 'a', outputs: { X: '$' } },
        { run: text, if: text, with: { A: text }, dir: text },
      ];
      const input = JSON.stringify({ workflows: { ci: { description: text, steps } } });
      return tool(['workflow', 'validate', '--file', '-'], { input });
    });
  }
});

test('any number of records takes linear time to match starts and ends', async () => {
  await assertLinear((size) => {
    const starts = Array.from({ length: size / 4 }, () => start(0, 'a'));
    return attemptsOf([...starts, ...starts.map(() => end(1))]);
  });
});
