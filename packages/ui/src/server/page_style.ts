/** Styles of the page of runs, beside those of reports: lists, boxes of the graph, output and its colours, dialogs. */
export const PAGE_STYLE = `
:root { --tick: 25%; }
nav { margin-bottom: 1rem; }
h2 { margin: 2rem 0 0.6rem; }
h1 + p { margin-top: 0.25rem; }
.lost { padding: 0.4rem 0.7rem; border: 1px solid var(--bad); border-radius: 5px; background: var(--bad-paper); }
.filters { display: flex; flex-wrap: wrap; gap: 0.5rem 1.2rem; margin: 1rem 0; }
.filters label { display: grid; gap: 0.15rem; color: var(--faint); }
input, select, button {
  max-width: 100%; padding: 0.3rem 0.6rem; border: 1px solid var(--rest); border-radius: 5px;
  background: var(--paper); color: var(--ink); font: inherit;
}
button { cursor: pointer; }
button:disabled { cursor: default; color: var(--faint); }
button[aria-pressed='true'] { border-color: var(--link); color: var(--link); font-weight: 600; }
[role='alert'] { white-space: pre-line; }
dialog pre { max-height: 40vh; overflow: auto; }
dialog pre + .buttons, dialog pre + div { margin-top: 0.6rem; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 0 0 1.5rem; }
.outcome small { color: var(--faint); font-weight: normal; }
.running .result, .starting .result, .ready .result { color: var(--link); font-weight: 600; }
.failed .result, .crashed .result, .interrupted .result, .damaged .result, .lost .result,
.broken .result, .cancelled .result { color: var(--bad); }
.outcome.running { color: var(--link); }
.problem { padding: 0.5rem 0.8rem; border: 1px solid var(--rest); border-radius: 5px; }

.failure { margin: 0 0 1.5rem; padding: 0.8rem 1rem; border-left: 4px solid var(--bad); border-radius: 5px; background: var(--bad-paper); }
.failure h2 { margin-top: 0; }
.failure p { margin: 0.4rem 0 0; }
.failure .buttons { margin: 0.4rem 0 0; }
.failure .output { max-height: 32rem; }
.failure .place { color: var(--faint); font-size: 0.86rem; }

.bars { display: flex; flex-wrap: wrap; gap: 0.8rem 2rem; margin: 1rem 0; padding: 0; list-style: none; }
.bars li { display: grid; gap: 0.25rem; justify-items: start; }
.bars svg { display: block; max-width: 100%; border-bottom: 1px solid var(--line); }
.bars .failed { fill: var(--bad); }
button.link { padding: 0; border: 0; background: none; color: var(--link); text-decoration: underline; text-underline-offset: 2px; }

.runs .step { width: 38%; padding-left: 0.5rem; }
.runs .params { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 5; overflow: hidden; color: var(--faint); }
.runs .age { width: 6rem; white-space: nowrap; }
.runs .time { width: 6rem; padding-right: 1.5rem; }
.runs .commit { width: 7.5rem; color: var(--faint); }
.runs .id { width: 12.5rem; color: var(--faint); }
.runs td { color: inherit; }
thead .line { padding: 0.6rem 0 0.4rem; }
.line svg rect { min-width: 2px; }
.line line { stroke: var(--rest); stroke-dasharray: 2 3; }
.steps .step:not(:has(.toggle)) { padding-left: calc(1.5rem + var(--indent, 0rem)); }
.steps thead .step:not(:has(.toggle)) { padding-left: 0.5rem; }
.toggle { width: 100%; padding: 0; border: 0; background: none; text-align: left; color: inherit; }
.toggle::before { content: '▸'; display: inline-block; width: 1rem; color: var(--faint); }
.toggle[aria-expanded='true']::before { content: '▾'; }
.tag {
  margin-right: 0.4rem; padding: 0 0.35rem; border: 1px solid var(--rest); border-radius: 3px;
  color: var(--faint); font-size: 0.8rem;
}
.hook .step { font-style: italic; }
.hook .tag { font-style: normal; }
.steps tr:has(+ .details) { border-bottom: 0; }
.details td { padding: 0 0 0.6rem calc(1.5rem + var(--indent, 0rem)); color: var(--faint); font-size: 0.86rem; }
.details p { margin: 0.2rem 0; }

.graph { display: flex; flex-direction: column; align-items: start; gap: 1.1rem; margin: 0 0 1rem; }
.graph > * { position: relative; max-width: 100%; }
.graph > * + *::before {
  content: ''; position: absolute; left: 1.2rem; top: -1.1rem; height: 1.1rem; border-left: 2px solid var(--rest);
}
.graph > * + *::after {
  content: ''; position: absolute; left: calc(1.2rem - 3px); top: -7px;
  border: 4px solid transparent; border-top: 6px solid var(--rest); border-bottom: 0;
}
.group { display: flex; flex-wrap: wrap; align-items: start; gap: 0.6rem; padding: 0.6rem; border: 1px dashed var(--rest); border-radius: 5px; }
.box, .node { border: 1px solid var(--line); border-radius: 5px; padding: 0.3rem 0.6rem; min-width: 0; }
.box { font-weight: 600; }
.box > .graph { margin: 0.5rem 0 0.2rem; font-weight: normal; }
.node { border-left: 4px solid var(--rest); }
.node.succeeded, .node.stopped, .node.met { border-left-color: var(--good); }
.node.failed, .node.not-started { border-left-color: var(--bad); }
.node.running, .node.starting, .node.ready { border-left-color: var(--link); }
.node.hook { border-style: dashed; border-left-style: solid; font-style: italic; }
.asks { margin: 0; color: var(--faint); font-size: 0.86rem; font-weight: normal; }
.plan summary { margin: 0 0 0.3rem; }
.params th, .params td { padding: 0.1rem 1rem 0.1rem 0; }
table.params { width: auto; table-layout: auto; }
.params tr { border: 0; display: table-row; }
table.params tbody { display: table-row-group; }
table.params { display: table; }
.params th { color: var(--faint); white-space: nowrap; }
.sessions { display: grid; gap: 0.5rem; margin: 0; padding: 0; list-style: none; }
.sessions li { padding: 0.4rem 0.7rem; border: 1px solid var(--line); border-radius: 5px; }
.sessions p { margin: 0.1rem 0 0; color: var(--faint); }
.sessions .result { padding: 0; }
.sessions .succeeded .result { color: var(--good); }

dialog {
  max-width: min(40rem, 92vw); border: 1px solid var(--rest); border-radius: 8px;
  background: var(--paper); color: var(--ink);
}
dialog::backdrop { background: rgb(0 0 0 / 40%); }
.bold { font-weight: 700; } .dim { opacity: 0.75; } .italic { font-style: italic; } .underline { text-decoration: underline; }
.f0 { color: #59636e; } .f1 { color: #b3212a; } .f2 { color: #176f30; } .f3 { color: #7d5600; }
.f4 { color: #0958b5; } .f5 { color: #8a2fb0; } .f6 { color: #0b6a75; } .f7 { color: #59636e; }
@media (prefers-color-scheme: dark) {
  .f0 { color: #96a1ad; } .f1 { color: #ff7b76; } .f2 { color: #4fc16a; } .f3 { color: #d9a53a; }
  .f4 { color: #6db1ff; } .f5 { color: #d28df0; } .f6 { color: #4cc3d0; } .f7 { color: #c3cad1; }
}
@media screen and (max-width: 62rem) {
  .runs .id { display: none; }
}
@media screen and (max-width: 45rem) {
  tr { grid-template-columns: minmax(0, 1fr) auto; }
  .details td { grid-column: 1 / -1; }
  .runs thead { display: none; }
  .runs tr { grid-template-columns: auto auto auto minmax(0, 1fr); align-items: baseline; column-gap: 0.75rem; padding: 0.5rem; }
  .runs td { padding: 0; }
  .runs .step { display: contents; }
  .runs .step a { order: 0; grid-column: 1 / 4; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
  .runs .result { order: 1; grid-column: 4; padding: 0; text-align: right; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
  .runs .age, .runs .time, .runs .commit { order: 2; width: auto; padding: 0; color: var(--faint); font-size: 0.86rem; }
  .runs .params { order: 4; grid-column: 4; display: block; white-space: nowrap; text-overflow: ellipsis; text-align: right; }
}
`;
