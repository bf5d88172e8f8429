/** What the page of runs adds to the style of reports: filters, boxes of the graph, output and its colours, dialogs. */
export const PAGE_STYLE = `
:root { --tick: 25%; }
nav { margin-bottom: 1rem; }
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
.running .result { color: var(--link); font-weight: 600; }
.failed .result, .crashed .result, .interrupted .result, .damaged .result, .lost .result,
.broken .result, .cancelled .result { color: var(--bad); }
.outcome.running { color: var(--link); }
.runs .step { width: auto; padding-left: 0; }
.runs .time { width: auto; }
thead .line { padding: 0.6rem 0 0.4rem; }
.line svg rect { min-width: 2px; }
.graph { display: grid; justify-items: start; gap: 0.4rem; margin: 0 0 2rem; }
.graph > * { max-width: 100%; }
.group { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.box, .node { border: 1px solid var(--line); border-radius: 5px; padding: 0.3rem 0.6rem; min-width: 0; }
.box > .graph { margin: 0.3rem 0 0.2rem; }
.node { border-left: 4px solid var(--rest); }
.node.succeeded, .node.met { border-left-color: var(--good); }
.node.failed, .node.not-started { border-left-color: var(--bad); }
.node.running { border-left-color: var(--link); }
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
@media screen and (max-width: 45rem) {
  tr { grid-template-columns: minmax(0, 1fr) auto; }
  .runs thead { display: none; }
  .runs .step { grid-column: 1 / -1; }
  .runs .result { padding-left: 0; }
}
`;
