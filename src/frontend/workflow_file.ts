import type { Range } from './diagnostic.ts';

/** Variable names and values, in file order. */
export type Variables = ReadonlyMap<string, string>;

/** What a workflow file says, after every shape in it was checked. Blank hooks are undefined. */
export type WorkflowFile = Readonly<{
  env: Variables;
  beforeAll: Hook | undefined;
  afterAll: Hook | undefined;
  error: Hook | undefined;
  workflows: ReadonlyMap<string, Workflow>;
}>;

/** The command of a hook; `offset` is where it begins in the file's text, in UTF-16 units. */
export type Hook = Readonly<{ command: string; offset: number }>;

/** `range` is where the workflow's name stands. */
export type Workflow = Readonly<{
  description: string;
  private: boolean;
  env: Variables;
  steps: readonly Step[];
  range: Range;
}>;

/** `condition` is as written, undefined where there is none or it is blank; `offset` is where the step begins. */
export type Step = Readonly<
  { name: string; condition: string | undefined; with: Variables; offset: number } & (
    { kind: 'run'; command: string } | { kind: 'call'; workflow: string }
  )
>;
