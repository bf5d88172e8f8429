import type { Input } from '../../frontend/ast.ts';
import { isSecretInput, MASK, type Secrecy } from '../secret_names.ts';

/** The accepted values of an input, as text; empty for an optional text without a default. */
export function describeInput(
  { required, type, options, default: preset, secret }: Input,
  isSecret: boolean,
): string[] {
  // In the order of the text. A new field fails to compile until it is described; names and descriptions are separate.
  const words: Record<Exclude<keyof Input, 'name' | 'description'>, string[]> = {
    required: required ? ['required'] : [],
    type: type === 'boolean' ? ['true or false'] : [],
    options: options.length === 0 ? [] : [isSecret ? 'one of its options' : `one of ${options.join(', ')}`],
    default: preset === null ? [] : [`default ${isSecret ? MASK : preset === '' ? 'empty' : preset}`],
    secret: secret ? ['secret'] : [],
  };
  return Object.values(words).flat();
}

/** A line for each input: its name, its values, and its description. */
export function inputLines(inputs: readonly Input[], isSecret: Secrecy): string[] {
  const width = Math.max(0, ...inputs.map(({ name }) => name.length));
  return inputs.map((input) => {
    const { name, description } = input;
    const details = describeInput(input, isSecret(name) || isSecretInput(input)).join('; ');
    const about = [details === '' ? '' : `(${details})`, description].filter((text) => text !== '').join(' ');
    return `  ${name.padEnd(width)}  ${about}`.trimEnd();
  });
}

/** An input in a document: its name, and the fields that differ from their defaults. */
export type InputEntry = Readonly<Record<keyof Input, unknown>>;

export function inputEntry(input: Input): InputEntry {
  const { name, description, required, type, options, default: preset, secret } = input;
  const isHidden = isSecretInput(input);
  return {
    name,
    description: description === '' ? undefined : description,
    required: required || undefined,
    default: preset === null ? undefined : isHidden ? MASK : preset,
    type: type === 'string' ? undefined : type,
    options: options.length === 0 || isHidden ? undefined : options,
    secret: secret || undefined,
  };
}
