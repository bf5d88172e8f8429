import type { ProcessEntry, ProcessTable } from './process_table.ts';
import { runProgram, type ProgramOutput } from '../../system/run_program.ts';

/** The flags for all processes: on macOS with the environments of this user's, on FreeBSD, and elsewhere without. */
const ALL = [['-axE', '-ww'], ['-axe', '-ww'], ['-A']] as const;

/** One keyword each: on FreeBSD, `pid=,ppid=` is one column with the title `,ppid=`. */
const KEYWORDS = ['pid', 'ppid', 'pgid', 'stat', 'lstart'].flatMap((name) => ['-o', `${name}=`]);

/**
 * The process table of systems without /proc, from `ps`. The arguments and the environment of processes are one text
 * there, in which the random value of a marker is proof.
 */
export function psTable(): ProcessTable {
  const children = new Set<number>();
  let problem: string | undefined;
  let flags: readonly (readonly string[])[] = ALL;
  /** The words of the arguments and the environment of each process, from the last list of all. */
  let words = new Map<number, readonly string[]>();

  /** The processes in the output of `ps`. A list without this process is a problem: then only children are seen. */
  function entriesIn(ps: ProgramOutput): readonly ProcessEntry[] {
    const lines = ps.ok ? ps.value.stdout.split('\n') : [];
    const entries = lines.flatMap((line) => {
      const [id, parent, group, state, ...rest] = line.trim().split(/\s+/);
      if (state === undefined || state.startsWith('Z') || (ps.ok && Number(id) === ps.value.pid)) return [];
      const entry = { pid: Number(id), parent: Number(parent), group: Number(group), state: state.charAt(0) };
      if (rest.length > START_WORDS) words.set(entry.pid, rest.slice(START_WORDS));
      return [{ ...entry, started: rest.slice(0, START_WORDS).join(' ') }];
    });
    const isSeen = entries.some(({ pid, parent }) => pid === process.pid && parent === process.ppid);
    problem = isSeen ? undefined : problemOf(ps);
    return isSeen ? entries : [...children].filter(isThere).map(childEntry);
  }

  return {
    children,
    get problem() {
      return problem;
    },
    all: () => {
      words = new Map();
      for (;;) {
        const [own = [], ...others] = flags;
        const ps = run([...own, ...KEYWORDS, '-o', 'command=']);
        if (others.length > 0 && ps.ok && ps.value.exitCode !== 0) flags = others;
        else return entriesIn(ps).toSorted((one, other) => other.pid - one.pid);
      }
    },
    find: (pid) => entriesIn(run(['-p', `${process.pid},${pid}`, ...KEYWORDS])).find((entry) => entry.pid === pid),
    /** Constant, so that one scan without a new process is enough: each starts a program. */
    generation: () => 'unknown',
    variables: (pid) => words.get(pid) ?? [],
    ignores: () => false,
    isInForeground: () => {
      const ps = run(['-o', 'pgid=', '-o', 'tpgid=', '-p', String(process.pid)]);
      const [group, foreground] = ps.ok ? ps.value.stdout.trim().split(/\s+/) : [];
      return group !== undefined && group === foreground;
    },
  };
}

const START_WORDS = 5;

function run(args: readonly string[]): ProgramOutput {
  return runProgram('ps', args, { env: { TZ: 'UTC', LC_ALL: 'C' } });
}

function problemOf(ps: ProgramOutput): string {
  if (!ps.ok) return ps.problems.join('; ');
  const { exitCode, stderr } = ps.value;
  const [line = ''] = stderr.trim().split('\n', 1);
  return line === '' ? `ps does not list this process, and exits with ${exitCode}` : `ps: ${line}`;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A child that no list shows counts as stopped once SIGSTOP is sent: nothing can be waited for. */
function childEntry(pid: number): ProcessEntry {
  return { pid, parent: process.pid, group: 0, started: 'unknown', state: 'T' };
}
