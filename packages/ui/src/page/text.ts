import { options } from 'preact';
import { escapeHidden, formatAge, type RecordedOp } from '../../../../src/internal.ts';

/** The maximum number of parameters that are shown. */
const MAX_PARAMS = 1000;

/** A parameter of a run: its name and its value. */
type Param = readonly [name: string, value: string];

/** The parameters of a run that are shown, and the number of the others. */
export function paramsOf(
  params: Readonly<Record<string, string>>,
): Readonly<{ shown: readonly Param[]; more: number }> {
  const all = Object.entries(params);
  return { shown: all.slice(0, MAX_PARAMS), more: Math.max(0, all.length - MAX_PARAMS) };
}

/** The parameters of a run as texts. */
export function paramTexts(params: Readonly<Record<string, string>>): readonly string[] {
  const { shown, more } = paramsOf(params);
  const texts = shown.map(([name, value]) => `${name}=${value}`);
  return more > 0 ? [...texts, `and ${more} more`] : texts;
}

/** The place of an op in its file; empty if it is not recorded. */
export function placeOf({ file, line, column }: RecordedOp): string {
  return line === 0 ? '' : `${file}:${line}:${column}`;
}

/** A time in the zone of the browser. */
export function moment(time: string | null): string {
  return time === null || time === '' ? '' : new Date(time).toLocaleString('sv-SE');
}

/** How long ago a time is. */
export function age(time: string | null): string {
  return time === null || time === '' ? '' : `${formatAge(Date.now() - Date.parse(time))} ago`;
}

/** The attributes whose text is shown or read aloud. */
const ATTRIBUTES = ['aria-label', 'title', 'placeholder'] as const;

/** A text as the page shows it: with hidden characters as escapes, as at a terminal. */
export function shownText(text: string): string {
  return escapeHidden(text, '\t\n');
}

/** Shows every text of the page through `shownText`. To be called before the first of them is rendered. */
export function escapeTexts(): void {
  options.vnode = (vnode) => {
    const props: unknown = vnode.props;
    // The properties of a text are the text.
    if (typeof props === 'string') Reflect.set(vnode, 'props', shownText(props));
    if (typeof vnode.type !== 'string' || typeof props !== 'object' || props === null) return;
    for (const name of ATTRIBUTES) {
      const text: unknown = Reflect.get(props, name);
      if (typeof text === 'string') Reflect.set(props, name, shownText(text));
    }
  };
}
