import { h, render } from 'preact';
import { App } from './page/app.ts';
import { EXAMPLES } from './page/examples.ts';
import { carriesFile, fileIn } from './page/link.ts';

/** The first text of the file: that of the link, or an example. */
async function begin(): Promise<void> {
  const [example = { text: '' }] = EXAMPLES;
  const found = carriesFile(location.hash) ? await fileIn(location.hash) : example;
  const [start, problem] =
    'problem' in found ? [example.text, `The link cannot be opened: ${found.problem}.`] : [found.text, ''];
  render(h(App, { start, problem }), document.body);
}

void begin();
