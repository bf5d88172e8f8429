import type { Findings } from '../frontend/diagnostic.ts';
import { draw, type Source } from '../frontend/draw.ts';
import type { Lines } from '../frontend/lines.ts';
import { message, moreOf } from '../frontend/message.ts';
import { fold } from './fit.ts';

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
