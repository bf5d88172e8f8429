import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Whether a Ctrl-C that reached us was sent by the terminal, and so to our commands too: we have a
 * controlling terminal and are in its foreground process group.
 */
export function isInTerminalForeground(platform: string): boolean {
  if (platform === 'linux') {
    // Fields of proc(5) after the command's name: state ppid pgrp session tty_nr tpgid.
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, , group, , terminal, foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return terminal !== '0' && foreground === group;
  }
  const format = ['-o', 'pgid=', '-o', 'tpgid=', '-p', String(process.pid)];
  const { stdout } = spawnSync('ps', format, { encoding: 'latin1' });
  const [group, foreground] = (stdout ?? '').trim().split(/\s+/);
  return group !== undefined && group === foreground;
}
