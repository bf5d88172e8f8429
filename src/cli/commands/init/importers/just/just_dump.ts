import { runProgram } from '../../../../../backend/system/run_program.ts';
import { redactPath } from '../../../../command_line/redact.ts';
import { failure, type Result } from '../../../../../base/result.ts';
import type { Message } from '../../../../output/messages/message.ts';

/** The recipes and variables of a justfile, as `just` prints them. */
export function justDump(path: string, bytes: Buffer): Result<Buffer, Message> {
  const found = runProgram('just', ['--justfile', path, '--dump', '--dump-format', 'json']);
  const refused = `cannot convert ${redactPath(path)}`;
  if (!found.ok) {
    return failure(`${refused}: just is needed to read it, and is not installed (https://just.systems)`);
  }
  const { exitCode, stdout, stderr } = found.value;
  if (exitCode !== 0) {
    const reason = exitCode === undefined ? crashOf(bytes.toString()) : 'just cannot read it';
    const lines = stderr === '' ? [] : stderr.trimEnd().split('\n');
    return failure<Message>(`${refused}: ${reason}`, { kind: 'lines', prefix: '', lines });
  }
  return { ok: true, value: Buffer.from(stdout) };
}

/** The reason if a signal ends just, which overflows its stack in long expressions. */
function crashOf(text: string): string {
  const lengths = text.split('\n').map((line) => line.length);
  const longest = lengths.indexOf(lengths.reduce((most, length) => Math.max(most, length), 0)) + 1;
  return `just crashed, as it does if an expression is too long; line ${longest} is the longest`;
}
