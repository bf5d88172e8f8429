import type { Findings } from '../frontend/diagnostic.ts';
import { draw, type Source } from '../frontend/draw.ts';
import type { Lines } from '../frontend/lines.ts';
import { message, moreOf } from '../frontend/message.ts';

/** What was found in a file. */
export type Found = Readonly<{ errors: Findings; warnings: Findings; source: Source }>;

/** All that was found in a file, with places, for people. */
export function drawn({ errors, warnings, source }: Found): string[] {
  return [...draw(errors, source), ...draw(warnings, source)];
}

/** Errors as entries of the document of `workflow validate`. */
export function entriesOf(errors: Findings, lines: Lines): { workflow: string; message: string }[] {
  const entries = errors.items.map((error) => {
    return { workflow: error.place.workflow, message: message(error, lines) };
  });
  return [...entries, ...moreOf(errors).map((more) => ({ workflow: '', message: more }))];
}
