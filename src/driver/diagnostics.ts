import type { Findings } from '../frontend/diagnostics/diagnostic.ts';
import { draw, type Source } from '../frontend/diagnostics/code_frame.ts';
import type { Lines } from '../frontend/syntax/line_index.ts';
import { message, moreOf } from '../frontend/diagnostics/message.ts';
import { fold } from '../output/text_width.ts';

/** What was found in a file. */
export type Found = Readonly<{ errors: Findings; warnings: Findings; source: Source }>;

/** All that was found in a file, with places, for people who have so many columns. */
export function drawn({ errors, warnings, source }: Found, room?: number): string[] {
  return fold([...draw(errors, source, room), ...draw(warnings, source, room)], room);
}

/** Errors as entries of the document of `workflow validate`. */
export function entriesOf(errors: Findings, lines: Lines): { workflow: string; message: string }[] {
  const entries = errors.items.map((error) => {
    return { workflow: error.place.workflow, message: message(error, lines) };
  });
  return [...entries, ...moreOf(errors).map((more) => ({ workflow: '', message: more }))];
}
