import { h, type ComponentChild } from 'preact';

const TABS = ['Problems', 'Dry run', 'Graph', 'What if', 'Explain', 'Diff', 'Script'] as const;

export type Tab = (typeof TABS)[number];

/** The id of the elements of a tab. */
export const idOf = (tab: Tab): string => tab.toLowerCase().replace(' ', '-');

type TabsProps = Readonly<{ shown: Tab; show: (tab: Tab) => void; count: string }>;

/** The tabs. Arrows, Home and End move between them. */
export function Tabs({ shown, show, count }: TabsProps): ComponentChild {
  const move = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
    const at = TABS.indexOf(shown);
    const step = steps[event.key];
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? TABS.length - 1 : at + (step ?? 0);
    if (next === at) return;
    const tab = TABS[(next + TABS.length) % TABS.length] ?? shown;
    event.preventDefault();
    show(tab);
    document.getElementById(`tab-${idOf(tab)}`)?.focus();
  };
  return h(
    'div',
    { class: 'tabs', role: 'tablist', 'aria-label': 'Views', onKeyDown: move },
    TABS.map((tab) =>
      h(
        'button',
        {
          key: tab,
          id: `tab-${idOf(tab)}`,
          type: 'button',
          role: 'tab',
          'aria-label': tab,
          'aria-selected': tab === shown,
          'aria-controls': 'panel',
          tabIndex: tab === shown ? 0 : -1,
          onClick: () => show(tab),
        },
        tab,
        tab === 'Problems' && count !== '' && h('span', { class: 'count', 'aria-hidden': 'true' }, count),
      ),
    ),
  );
}
