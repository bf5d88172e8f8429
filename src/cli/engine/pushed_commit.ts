import { readGit, readGitStatus } from '../../backend/system/git.ts';
import type { ProgramOutput } from '../../backend/system/run_program.ts';
import { failure, type Result } from '../../base/result.ts';

/** A commit that other machines can fetch, and the current directory in its repository ('' for the top one). */
export type PushedCommit = Readonly<{ commit: string; directory: string }>;

/** The commit of the working tree; a problem if other machines cannot have the same files. */
export function pushedCommit(): Result<PushedCommit> {
  const prefix = readGit('rev-parse', '--show-prefix');
  if (!prefix.ok) return failure(`'--checkout' needs git: ${prefix.problems.join('; ')}`);
  if (prefix.value.exitCode !== 0)
    return failure("'--checkout' needs a git repository, and the current directory is in none");
  const status = readGitStatus('--untracked-files=normal');
  const lines = linesOf(status);
  if (lines === undefined) return failure(`'--checkout' needs the state of the repository: ${reasonOf(status)}`);
  const header = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const [commit = '', branch = '', upstream] = [header('oid'), header('head'), header('upstream')];
  const changed = lines.filter((line) => !line.startsWith('#')).length;
  if (commit === '(initial)') return failure("'--checkout' needs a commit, and the repository has none");
  if (changed > 0) {
    const files = changed === 1 ? '1 file differs' : `${changed} files differ`;
    return failure(
      `'--checkout' runs a commit, and ${files} from it: commit and push, or git stash --include-untracked`,
    );
  }
  if (upstream === undefined) {
    const advice = branch === '(detached)' ? 'git switch BRANCH' : `git push --set-upstream origin ${branch}`;
    return failure(`'--checkout' needs a branch with an upstream: ${advice}`);
  }
  // `+1 -2`: commits that the upstream lacks, and that it has in addition. Absent if the upstream was deleted.
  if (header('ab')?.startsWith('+0 ') !== true) {
    return failure(`'--checkout' runs a pushed commit, and ${upstream} lacks ${shortCommit(commit)}: git push`);
  }
  return { ok: true, value: { commit, directory: prefix.value.stdout.replace(/\n$/, '') } };
}

/** The first digits of a commit, to show. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 10);
}

function linesOf(output: ProgramOutput): readonly string[] | undefined {
  if (!output.ok || output.value.exitCode !== 0) return undefined;
  return output.value.stdout.split('\n').filter((line) => line !== '');
}

/** The last line of what git says. */
function reasonOf(output: ProgramOutput): string {
  if (!output.ok) return output.problems.join('; ');
  return output.value.stderr.trim().split('\n').at(-1) ?? `exit code ${output.value.exitCode}`;
}
