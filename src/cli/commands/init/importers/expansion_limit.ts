import { attempt, LeftOut } from '../imported.ts';
import type { TemplatePart } from '../shell_template.ts';

/** The maximum depth of references in the values of others. */
export const MAX_DEPTH = 50;

/** The maximum length of all references of a file, expanded. Each counts as 256 more: the time of an empty one. */
const MAX_LENGTH = 64 * 1024 * 1024;

/** The limits for the references of a file. */
export class ExpansionLimit {
  #depth = 0;
  #length = 0;

  /** Expands a text inside of another one. Fails with `reason` beyond the maximum depth. */
  nested<Result>(expand: () => Result, reason = `it has references more than ${MAX_DEPTH} levels deep`): Result {
    if (this.#depth > MAX_DEPTH) throw new LeftOut(reason);
    this.#depth += 1;
    const found = attempt(expand);
    this.#depth -= 1;
    if (found instanceof LeftOut) throw found;
    return found;
  }

  /** The parts that a reference expands to. Fails beyond the maximum length. */
  counted(parts: readonly TemplatePart[]): readonly TemplatePart[] {
    for (const part of parts) {
      this.#length += 256 + (typeof part === 'string' ? part : (part.text ?? part.expansion)).length;
    }
    if (this.#length > MAX_LENGTH) throw new LeftOut('the references of the file expand to more than 64 MiB');
    return parts;
  }
}
