import type { OpenStatus, Status } from '../op_results.ts';

/** The sign of each result. */
export const SIGNS: Readonly<Record<Status | OpenStatus, string>> = {
  running: '▸',
  starting: '▸',
  ready: '▸',
  succeeded: '✓',
  stopped: '✓',
  failed: '✗',
  'not started': '✗',
  met: '✓',
  'not met': '–',
  skipped: '–',
  declined: '✗',
  'not reached': '○',
  kept: '=',
  'left out': '○',
};

/** The style of the report page: light, dark, print, and phones, where a row becomes three lines. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1c2128; --faint: #59636e; --line: #d9dee3; --hover: #f4f6f8;
  --good: #1a7f37; --bad: #c0262d; --bad-paper: #fff1f0; --rest: #8c96a0; --link: #0958b5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --ink: #e3e8ed; --faint: #96a1ad; --line: #2c333c; --hover: #1a2028;
    --good: #43b45c; --bad: #ff6b66; --bad-paper: #2c1719; --rest: #6e7883; --link: #6db1ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 76rem; padding: 2.5rem 1.5rem 4rem;
  background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; }
h2 { margin: 0 0 0.6rem; font-size: 1.1rem; }
.hidden { position: absolute; clip-path: inset(50%); }
fieldset {
  display: flex; align-items: center; gap: 1.2rem; height: 2.5rem; margin: 0; padding: 0; border: 0;
  position: sticky; top: 0; z-index: 2; background: var(--paper); overflow-x: auto; white-space: nowrap;
}
legend { float: left; padding: 0; color: var(--faint); }
main:has(#show-failed:checked) tbody tr:not(.failed, .allowed),
main:has(#show-skipped:checked) tbody tr:not(.skipped),
main:has(#show-not-reached:checked) tbody tr:not(.not-reached) { display: none; }
main { container-type: inline-size; }
a { color: var(--link); text-underline-offset: 2px; }
code, pre { font: 0.86em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.outcome { margin: 0.25rem 0 1.5rem; font-size: 1.1rem; font-weight: 600; color: var(--good); }
.outcome.failed { color: var(--bad); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1.5rem; margin: 0 0 2rem; }
dt { color: var(--faint); }
dd { margin: 0; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; text-align: left; vertical-align: top; font-weight: normal; }
thead th {
  position: sticky; top: 2.5rem; z-index: 1; padding-top: 0.6rem;
  background: var(--paper); color: var(--faint); font-size: 0.86rem; box-shadow: inset 0 -1px var(--line);
}
tbody tr { border-bottom: 1px solid var(--line); scroll-margin-top: 5.5rem; }
tbody tr:hover { background: var(--hover); }
tr.failed, tr.failed:hover { background: var(--bad-paper); }
tbody tr:target { outline: 2px solid var(--link); outline-offset: -2px; }
.step { width: 34%; padding-left: calc(0.5rem + var(--indent, 0rem)); }
.result { width: 24%; }
.time { width: 5.5rem; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.line { padding: 0; }
tbody .line { background: repeating-linear-gradient(to right, var(--line) 0 1px, transparent 1px var(--tick)); }
.line svg { display: block; width: 100%; height: 2.2rem; overflow: visible; }
.line text { fill: var(--faint); font-size: 0.8rem; font-variant-numeric: tabular-nums; }
rect { fill: var(--good); }
.failed rect { fill: var(--bad); }
.condition rect, .allowed rect { fill: var(--rest); }
.call rect { fill: none; stroke: var(--rest); stroke-dasharray: 3 3; }
.result, .none .step, .none summary, .call .time, .condition .step { color: var(--faint); }
.succeeded .result, .stopped .result { color: var(--good); }
.failed .result { color: var(--bad); font-weight: 600; }
.call .step { font-weight: 600; }
.call small { color: var(--faint); font-weight: normal; }
.d1 { --indent: 1.4rem; } .d2 { --indent: 2.8rem; } .d3 { --indent: 4.2rem; } .d4 { --indent: 5.6rem; }
summary { cursor: pointer; }
details > div {
  position: relative; width: calc(100cqw - 0.5rem - var(--indent, 0rem)); margin: 0.4rem 0 0.3rem; color: var(--faint); font-size: 0.86rem;
}
details > div > p { margin: 0; }
/* The details reach below the other columns, which have one line beside them. */
@media screen and (min-width: 45.01rem), print {
  tr:has(details[open]) > .result { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
  tr:has(details[open]) .line svg { height: 1.4rem; }
}
pre {
  margin: 0.3rem 0; padding: 0.5rem 0.7rem; border: 1px solid var(--line); border-radius: 5px;
  background: var(--paper); color: var(--ink); white-space: pre-wrap; max-height: 24rem; overflow: auto;
}
@media screen and (max-width: 45rem) {
  body { padding: 1.25rem 1rem 3rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.6rem; }
  table, thead, tbody { display: block; }
  tr { display: grid; grid-template-columns: 1fr auto; padding: 0.4rem 0; }
  thead { position: sticky; top: 2.5rem; z-index: 1; background: var(--paper); }
  legend { position: absolute; clip-path: inset(50%); }
  thead tr { padding: 0; }
  thead .step, thead .result, thead .time { position: absolute; clip-path: inset(50%); }
  thead .line, tbody .line { grid-column: 1 / -1; width: auto; }
  tbody .line svg { height: 1.4rem; }
  .none .line { display: none; }
  .step, .result, .time { width: auto; padding-top: 0.1rem; padding-bottom: 0.1rem; }
  .step { order: 1; } .time { order: 2; } .line { order: 4; }
  .result { order: 3; grid-column: 1 / -1; padding-left: calc(0.5rem + var(--indent, 0rem)); }
  .call .result { display: none; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  * { print-color-adjust: exact; }
  thead th { position: static; }
  fieldset { display: none; }
  tbody tr { break-inside: avoid; }
}
`;
