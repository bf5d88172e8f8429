import { ValueMask } from '../../backend/outputs/value_mask.ts';
import { isSecret } from '../../ir/secret_names.ts';
import { EXIT, printStderr, type Io } from '../output/io.ts';

/** An error whose texts do not contain these values. */
export function maskedError(error: unknown, secrets: readonly string[]): Error {
  const mask = new ValueMask();
  for (const value of secrets) mask.hide(value);
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  return Object.assign(new Error(mask.apply(message)), { stack: mask.apply(stack) });
}

/** Reports a bug of the tool in one line, and with `isDetailed` with its place. The error is without secrets. */
export function printBug(io: Io, { message, stack = '' }: Error, isDetailed: boolean): undefined {
  printStderr(io, [`internal error: ${message.split('\n')[0]}`], 'cli: ');
  if (isDetailed) printStderr(io, stack.split('\n'));
}

/** Reports a bug without the secrets of the environment and of the command line; returns the exit code. */
export function reportBug(io: Io, error: unknown, argv: readonly string[]): number {
  const params = argv.map((word) => /^([^:=]+)[:=]([^]*)$/.exec(word) ?? []);
  const named = [...Object.entries(io.env), ...params.map(([, name = '', value]) => [name, value] as const)];
  const values = named.flatMap(([name, value = '']) => (isSecret(name) ? value : []));
  printBug(io, maskedError(error, values), argv.includes('--debug'));
  return EXIT.bug;
}
