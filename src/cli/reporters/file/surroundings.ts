import { hostname } from 'node:os';
import { readGitStatus } from '../../../backend/system/git.ts';

/** The revision of the working tree, null before the first commit, and whether a tracked file differs from it. */
export type Revision = Readonly<{ revision: string | null; dirty: boolean }>;

/** The host and the Git revision of a run; no revision outside of a Git repository. */
export type Surroundings = Readonly<{ host: string; git: Revision | null }>;

/** Must be called before the first step, which may change the working tree. */
export function readSurroundings(): Surroundings {
  return { host: hostname(), git: readRevision() };
}

/** See https://git-scm.com/docs/git-status#_porcelain_format_version_2 */
function readRevision(): Revision | null {
  const status = readGitStatus('--untracked-files=no');
  if (!status.ok) return null;
  const [, revision] = /^# branch\.oid (.+)$/m.exec(status.value.stdout) ?? [];
  if (revision === undefined) return null;
  return { revision: revision === '(initial)' ? null : revision, dirty: /^[^#]/m.test(status.value.stdout) };
}
