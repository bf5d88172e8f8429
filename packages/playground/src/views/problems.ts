import { h, type ComponentChild } from 'preact';
import { PATH, type Answers } from '../engine/answers.ts';

/** A line about a finding: its place, and the rest. */
const HEADING = new RegExp(String.raw`^${PATH.replaceAll('.', String.raw`\.`)}:(\d+):(\d+): `);

type ProblemsProps = Readonly<{ answers: Answers; goTo: (line: number, column: number) => void }>;

/** The output of `cli validate`. The lines with a place lead there. */
export function Problems({ answers, goTo }: ProblemsProps): ComponentChild {
  const lines = answers.problems.split(/(?<=\n)/);
  const shown = lines.map((line, index) => {
    const [, row, column] = HEADING.exec(line) ?? [];
    if (row === undefined) return line;
    const isError = line.includes(' error: ');
    return h(
      'button',
      {
        key: index,
        type: 'button',
        class: `place ${isError ? 'bad' : 'warn'}`,
        onClick: () => goTo(Number(row), Number(column)),
      },
      line,
    );
  });
  const { codes } = answers;
  return [
    h('pre', { class: 'text', tabIndex: 0, 'aria-label': 'Errors and warnings' }, shown),
    codes.length > 0 &&
      h(
        'p',
        { class: 'codes' },
        'About: ',
        codes.map((code) => [
          h('a', { key: code, href: `../reference/diagnostics.html#${code}`, target: '_blank' }, code),
          ' ',
        ]),
      ),
  ];
}
