import { chmodSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import type { Project } from './project.ts';

/** What happens between two runs of a task, and whether the second one has something to do. */
export type Change = Readonly<{ title: string; needed: boolean; make: (project: Project) => Promise<unknown> | void }>;

const EDITED = 'ten\n';

/** An edit, and a run after it. */
async function runAfter(project: Project, edit: () => void): Promise<void> {
  edit();
  await project.run();
}

export const CHANGES: readonly Change[] = [
  { title: 'nothing', needed: false, make: () => undefined },
  { title: 'a source is touched', needed: false, make: (project) => setTimes(project, 'src/a.txt', Date.now()) },
  {
    title: 'a comment of the file is edited',
    needed: false,
    make: (project) => project.edit((before) => ({ ...before, comment: 'other words' })),
  },
  { title: 'a source is edited', needed: true, make: (project) => project.write('src/a.txt', EDITED) },
  {
    title: 'a source is edited, and has its old time',
    needed: true,
    make: (project) => {
      const { mtimeMs } = statSync(project.path('src/a.txt'));
      project.write('src/a.txt', EDITED);
      setTimes(project, 'src/a.txt', mtimeMs);
    },
  },
  { title: 'a source is new', needed: true, make: (project) => project.write('src/c.txt', EDITED) },
  { title: 'a source is removed', needed: true, make: (project) => rmSync(project.path('src/b.txt')) },
  {
    title: 'a source is renamed',
    needed: true,
    make: (project) => renameSync(project.path('src/b.txt'), project.path('src/0.txt')),
  },
  {
    title: 'a source is edited, and edited back after a run',
    needed: true,
    make: async (project) => {
      await runAfter(project, () => project.write('src/a.txt', EDITED));
      project.write('src/a.txt', 'one\n');
    },
  },
  {
    title: 'a source was edited during the run',
    needed: true,
    make: async (project) => {
      project.write('src/b.txt', EDITED);
      await project.during(() => {
        project.write('src/a.txt', EDITED);
        return 'goes on';
      });
    },
  },
  { title: 'the output is edited', needed: true, make: (project) => project.write('out', EDITED) },
  { title: 'the output is deleted', needed: true, make: (project) => rmSync(project.path('out')) },
  {
    title: 'the output is no longer executable',
    needed: true,
    make: (project) => chmodSync(project.path('out'), 0o644),
  },
  {
    title: 'the command is edited',
    needed: true,
    make: (project) => project.edit(({ command, comment }) => ({ command: command.replace('cat', 'cat -n'), comment })),
  },
  { title: 'a variable is set', needed: true, make: (project) => project.setMode('fast') },
  {
    title: 'a variable is set, and unset after a run',
    needed: true,
    make: async (project) => {
      await runAfter(project, () => project.setMode('fast'));
      project.setMode('');
    },
  },
  {
    title: 'the run failed',
    needed: true,
    make: (project) => runAfter(project, () => project.write('src/a.txt', 'bad\n')),
  },
  {
    title: 'the run failed, and the edit is undone',
    needed: true,
    make: async (project) => {
      await runAfter(project, () => project.write('src/a.txt', 'bad\n'));
      project.write('src/a.txt', 'one\n');
    },
  },
  {
    title: 'the run was killed with SIGKILL',
    needed: true,
    make: async (project) => {
      project.write('src/a.txt', EDITED);
      await project.during(() => 'is killed');
    },
  },
];

function setTimes(project: Project, name: string, time: number): void {
  utimesSync(project.path(name), time / 1000, time / 1000);
}
