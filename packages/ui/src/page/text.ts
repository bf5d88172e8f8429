import { options } from 'preact';
import { escapeHidden } from '../../../../src/internal.ts';

/** The maximum number of parameters that are shown. */
const MAX_PARAMS = 1000;

/** The parameters of a run. */
export function paramTexts(params: Readonly<Record<string, string>>): readonly string[] {
  const texts = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  const more = texts.length - MAX_PARAMS;
  return more > 0 ? [...texts.slice(0, MAX_PARAMS), `and ${more} more`] : texts;
}

/** A time in the zone of the browser. */
export function moment(time: string | null): string {
  return time === null || time === '' ? '' : new Date(time).toLocaleString('sv-SE');
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
