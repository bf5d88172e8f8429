import { otherShell, type OtherShell } from '../../other_shell.ts';
import { words } from './make_text.ts';

/** The shell of recipes after an assignment of SHELL or .SHELLFLAGS; undefined for an unknown one. */
export function changedShell(shell: OtherShell, name: 'SHELL' | '.SHELLFLAGS', value: string): OtherShell | undefined {
  if (name === '.SHELLFLAGS') return otherShell(shell.program, words(value));
  const [first = '', second = ''] = words(/^\$\(shell (?:which|command -v) bash\)$/.test(value) ? 'bash' : value);
  const program = otherShell(first.endsWith('/env') ? second : first, [])?.program;
  return program === undefined ? undefined : { ...shell, program };
}
