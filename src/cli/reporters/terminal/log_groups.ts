import { escapeData } from '../../output/annotation.ts';
import { unreachable } from '../../../base/unreachable.ts';
import type { Service } from '../../output/style.ts';

/** The text before and after the output of a step. The heading must be escaped. */
export type Groups = Readonly<{ open: (heading: string) => string; close: () => string }>;

/**
 * Folding groups in the syntax of a CI service; without a service, a heading line that begins with `sign`. A group is
 * closed on a line of its own, because the last line of a step may lack its line break.
 */
export function createGroups(service: Service | undefined, sign: string): Groups {
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
