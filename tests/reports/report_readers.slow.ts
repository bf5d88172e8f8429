/*
 * Reports as read by an independent XML parser and by a browser.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { html } from '../../src/cli/reporters/file/html_report.ts';
import { finish, temporaryDirectory } from '../support/cli.ts';
import { quickCliWithAnnouncements as cliWithAnnouncements } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { openTab } from '../support/goldens/chromium.ts';
import { argvOf, caseOf } from '../support/goldens/goldens.ts';
import { coloursOf } from '../support/goldens/png.ts';
import { reportIn, retimed } from '../support/goldens/report.ts';
import { needs } from '../support/needs.ts';

const PYTHON = needs('python3');

/** The report of a golden run, in a directory of its own. */
async function reportOf(t: TestContext, name: string, file: string): Promise<string> {
  const given = caseOf('reports', name);
  const path = join(temporaryDirectory(t), file);
  const args = ['workflow', 'run', '--file', given.file, '--report', path, ...argvOf(given)];
  await cliWithAnnouncements(args, { cwd: given.directory, env: ONLY_PATH });
  return path;
}

const Suite = v.object({
  counts: v.record(v.string(), v.string()),
  cases: v.array(v.tuple([v.string(), v.string(), v.nullable(v.string()), v.nullable(v.string())])),
});

/** Prints the counts of JUnit's XML as read by Python's parser, and two names, a verdict and a message of each test case. */
const READ = `
import json, sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()[0]
def case(each):
    verdict = each[0] if len(each) else None
    found = None if verdict is None else verdict.get('message')
    return [each.get('classname'), each.get('name'), None if verdict is None else verdict.tag, found]
counts = {name: suite.get(name) for name in ('name', 'tests', 'failures', 'errors', 'skipped')}
print(json.dumps({'counts': counts, 'cases': [case(each) for each in suite]}))`;

test('an XML parser reads the names in a JUnit report, including hostile ones', PYTHON, async (t) => {
  const path = await reportOf(t, 'hostile-names', 'report.xml');
  const { stdout, stderr } = await finish('python3', ['-c', READ, path], { cwd: '/' });
  const [workflow, called] = ['<img src=x onerror=alert(1)>', '</title></svg><svg onload=alert(2)>'];
  assert.deepEqual(v.parse(Suite, JSON.parse(stdout || stderr)), {
    counts: { name: workflow, tests: '3', failures: '1', errors: '0', skipped: '1' },
    cases: [
      [workflow, '</script><!--', null, null],
      [workflow, `"'>&amp;]]>`, 'skipped', String.raw`condition failed: ]]></skipped><!-- \u202e`],
      [called, 'step_1', 'failure', 'exit code 3'],
    ],
  });
});

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' };

/** The text between tags. */
function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity);
}

/** The rows of a page, collapsed: step or call, result, and whether there is a time and a bar. */
function rowsOf(dom: string): string[] {
  const [, body = ''] = dom.split('<tbody>');
  return [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) => {
    const [name = '', result = '', time = '', line = ''] = row.split(/<\/t[hd]>/);
    const shown = name.includes('<details') ? (/<summary>(.*?)<\/summary>/s.exec(name)?.[1] ?? '') : name;
    const bar = line.includes('<rect') ? 'bar' : '';
    return [textOf(shown), textOf(result), textOf(time) === '' ? '' : 'time', bar].join(' | ');
  });
}

/** Measures the widths of the table and of the commands in opened rows, and the visible titles below each filter. */
const MEASURE = `
const widths = (selector) => [...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect().width);
for (const each of document.querySelectorAll('details')) each.open = true;
const pre = widths('details pre');
const overlaps = [...document.querySelectorAll('tbody tr')].filter((row) => {
  const [details, result] = [row.querySelector('details > div'), row.querySelector('td.result')];
  return details && result.getBoundingClientRect().height > 0 && result.scrollHeight > result.clientHeight;
}).length;
const shown = ['skipped', 'not-reached'].map((filter) => {
  document.getElementById('show-' + filter).checked = true;
  return widths('tbody summary').filter((width) => width > 0).length;
});
const labels = [...document.querySelectorAll('label')].map((each) => each.textContent.trim());
({ share: Math.min(...pre) / widths('table')[0], overlaps, shown, labels });`;

/** The page that a browser makes of the report of a golden run. */
async function domOf(t: TestContext, name: string): Promise<string> {
  const tab = await openTab(t, `file://${await reportOf(t, name, 'report.html')}`);
  return tab.content();
}

describe('reports in Chromium', { concurrency: 1, ...needs('chromium') }, () => {
  test('a browser shows each step, hook and call of a run, with its result and time', async (t) => {
    const dom = await domOf(t, 'failing-step');
    assert.deepEqual(rowsOf(dom), [
      'hook before_all | ✓ succeeded | time | bar',
      'preflight step 1 of release |  | time | bar',
      'clean | ✓ succeeded | time | bar',
      'build | ✓ succeeded | time | bar',
      'docs | – skipped: DOCS is not set |  | ',
      'if true | ✓ met | time | bar',
      'package | ✓ succeeded | time | bar',
      'if test -n "$MIRROR" | – not met | time | bar',
      'upload to the mirror, step 5 of release |  |  | ',
      'true | – skipped: condition failed: test -n "$MIRROR" |  | ',
      'preflight step 2 of upload |  |  | ',
      'clean | – skipped: condition failed: test -n "$MIRROR" |  | ',
      'send | – skipped: condition failed: test -n "$MIRROR" |  | ',
      'upload step 6 of release |  | time | bar',
      'true | ✓ succeeded | time | bar',
      'preflight step 2 of upload |  | time | bar',
      'clean | ✓ succeeded | time | bar',
      'send | ✗ exit code 143 (terminated by SIGTERM) | time | bar',
      'tag | ○ not reached |  | ',
      'git push | ○ not reached |  | ',
      'hook after_all | ○ not reached |  | ',
      'hook error | ✓ succeeded | time | bar',
    ]);
  });

  test('the table of a report has a name, its output the full width, and steps that were not reached a filter', async (t) => {
    const path = await reportOf(t, 'failing-step', 'report.html');
    const tab = await openTab(t, `file://${path}`, { size: { width: 1200, height: 900 }, runsScripts: true });
    assert.doesNotMatch(await tab.content(), /env of|with of|global env/);
    assert.equal(await tab.getByRole('table', { name: 'Steps', exact: true }).count(), 1);
    const measured: unknown = await tab.evaluate(MEASURE);
    const { share, ...others } = v.parse(v.looseObject({ share: v.number() }), measured);
    assert.ok(share > 0.9 && share <= 1, String(share));
    assert.deepEqual(others, {
      overlaps: 0,
      shown: [4, 3],
      labels: ['All', 'Failed (1)', 'Skipped (4)', 'Not reached (2)'],
    });
  });

  test('a browser executes nothing in a report, regardless of the names of steps and workflows', async (t) => {
    const dom = await domOf(t, 'hostile-names');
    assert.equal(textOf(/<title>.*?<\/title>/s.exec(dom)?.[0] ?? ''), '✗ failed: <img src=x onerror=alert(1)>');
    assert.equal(textOf(/<h1>.*?<\/h1>/s.exec(dom)?.[0] ?? ''), '<img src=x onerror=alert(1)>');
    const tags = new Set([...dom.matchAll(/<(\w+)/g)].map(([, tag]) => tag));
    assert.deepEqual(
      ['script', 'img', 'iframe', 'link', 'a', 'rect'].filter((tag) => tags.has(tag)),
      ['a', 'rect'],
    );
    assert.deepEqual(dom.match(/<[^>]*\son\w+=/g), null);
    assert.deepEqual(rowsOf(dom), [
      '</script><!-- | ✓ succeeded | time | bar',
      String.raw`if ]]></skipped><!-- \u202e | – not met | time | bar`,
      String.raw`"'>&amp;]]> | – skipped: condition failed: ]]></skipped><!-- \u202e |  | `,
      '</title></svg><svg onload=alert(2)> step 3 of <img src=x onerror=alert(1)> |  | time | bar',
      String.raw`exit 3 # \uffff </failure> 🐎\u001b[31m | ✗ exit code 3 | time | bar`,
    ]);
  });

  for (const [colorScheme, paper, good, bad] of [
    ['light', '#ffffff', '#1a7f37', '#c0262d'],
    ['dark', '#12161c', '#43b45c', '#ff6b66'],
  ] as const) {
    for (const width of [1200, 500]) {
      test(`a browser applies the style of a report in ${colorScheme} colours, ${width} pixels wide`, async (t) => {
        const report = retimed(reportIn(await reportOf(t, 'failing-step', 'report.json'), ''));
        const place = temporaryDirectory(t, { 'report.html': [...html(report)].join('') });
        const tab = await openTab(t, `file://${place}/report.html`, { colorScheme, size: { width, height: 2000 } });
        const colours = coloursOf(await tab.screenshot());
        const [most] = [...colours].toSorted(([, one], [, other]) => other - one);
        assert.equal(most?.[0], paper);
        assert.ok((colours.get(good) ?? 0) > 1000 && (colours.get(bad) ?? 0) > 200, JSON.stringify([...colours]));
      });
    }
  }
});
