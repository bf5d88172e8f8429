import { Fragment, h, render, type ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunDocument } from '../../../../src/internal.ts';
import { fetchRun, fetchRuns, follow, takeKey, type Connection, type RunList } from './connection.ts';
import { RunTable } from './list/run_table.ts';
import { RunView } from './run/run_view.ts';
import { escapeTexts, shownText } from './text.ts';

/** The current view: the list, or a run. `version` counts its updates. */
type View = Readonly<
  | { kind: 'list'; list: RunList }
  | { kind: 'run'; run: RunDocument; version: number }
  | { kind: 'unknown'; id: string }
  | { kind: 'none' }
>;

/** The id of the run in the address; undefined for the list. */
function runInAddress(): string | undefined {
  return /^#\/runs\/([\w.-]+)$/.exec(location.hash)?.[1];
}

/** Whether the user has opened the printed address and chosen nothing since: then the page shows the run that printed it. */
let isNew = takeKey();

async function load(version: number): Promise<View> {
  if (runInAddress() === undefined) {
    const list = await fetchRuns();
    if (!isNew || list.shown === undefined) return { kind: 'list', list };
    history.replaceState(null, '', `#/runs/${list.shown}`);
  }
  isNew = false;
  const id = runInAddress() ?? '';
  const run = await fetchRun(id);
  return run === undefined ? { kind: 'unknown', id } : { kind: 'run', run, version };
}

function App(): ComponentChild {
  const [view, setView] = useState<View>({ kind: 'none' });
  const [connection, setConnection] = useState<Connection>('connected');
  const version = useRef(0);
  useEffect(() => {
    const show = async (): Promise<void> => {
      version.current += 1;
      const mine = version.current;
      const loaded = await load(mine);
      // An answer that a later one has overtaken is old.
      if (mine === version.current) setView(loaded);
    };
    addEventListener('hashchange', () => {
      if (location.hash.startsWith('#k=')) location.reload();
      else void show().catch(() => setConnection('lost'));
    });
    void follow(show, setConnection);
  }, []);
  useEffect(() => {
    document.title = view.kind === 'run' ? shownText(`${view.run.workflow}: ${view.run.state}`) : 'Runs';
  }, [view]);
  if (connection === 'rejected')
    return h(
      'main',
      null,
      h('h1', null, 'Runs'),
      h('p', null, 'To see the runs, open the address that cli ui printed.'),
    );
  return h(
    Fragment,
    null,
    h(
      'div',
      { role: 'status', class: connection === 'lost' ? 'lost' : '' },
      connection === 'lost' ? 'Connection lost. This is the last known state.' : '',
    ),
    content(view),
  );
}

function content(view: View): ComponentChild {
  switch (view.kind) {
    case 'list':
      return h(RunTable, { list: view.list });
    case 'run':
      return h(RunView, { key: view.run.id, run: view.run, version: view.version });
    case 'unknown':
      return h(
        'main',
        null,
        h('h1', null, 'Runs'),
        h('p', null, `No run ${view.id} is recorded here.`),
        h('a', { href: '#/' }, 'All runs'),
      );
    case 'none':
      return null;
    default:
      return view;
  }
}

escapeTexts();
render(h(App, {}), document.body);
