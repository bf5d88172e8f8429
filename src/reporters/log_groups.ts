import { unreachable } from '../unreachable.ts';
import type { Service } from '../output/style.ts';

/** How what a step prints is framed: by a heading, a line that is safe to show, and what follows at its end. */
export type Groups = Readonly<{ open: (heading: string) => string; close: () => string }>;

/**
 * Groups that can be folded, in the language of a CI service; without one a line with a sign. A group is closed on a line of its own, also where the
 * step left its last line unfinished.
 */
export function groupsOf(service: Service | undefined, sign: string): Groups {
  switch (service) {
    case undefined:
      return { open: (heading) => `${sign}${heading}\n`, close: () => '' };
    case 'github':
      // https://docs.github.com/actions/reference/workflow-commands-for-github-actions
      return { open: (heading) => `::group::${escapeData(heading)}\n`, close: () => '\n::endgroup::\n' };
    case 'gitlab':
      return sections();
    default:
      return unreachable(service);
  }
}

/** https://docs.gitlab.com/ci/jobs/job_logs/#custom-collapsible-sections */
function sections(): Groups {
  let count = 0;
  const marker = (kind: 'start' | 'end'): string => {
    const time = Math.floor(Date.now() / 1000);
    return `\x1b[0Ksection_${kind}:${time}:cli_${process.pid}_${count}\r\x1b[0K`;
  };
  return {
    open: (heading) => {
      count += 1;
      return `${marker('start')}${heading}\n`;
    },
    close: () => `\n${marker('end')}\n`,
  };
}

/** What follows the second `::` of a command of GitHub; it decodes exactly these. */
export function escapeData(text: string): string {
  return text.replace(/[%\r\n]/g, encodeURIComponent);
}
