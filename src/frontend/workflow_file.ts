import type { Range } from './diagnostic.ts';

/** Variable names and values, in file order. */
export type Variables = ReadonlyMap<string, string>;

/** What a workflow file says, after every shape in it was checked. Blank hooks are undefined. */
export type WorkflowFile = Readonly<{
  env: Variables;
  beforeAll: string | undefined;
  afterAll: string | undefined;
  error: string | undefined;
  workflows: ReadonlyMap<string, Workflow>;
}>;

/** `range` is where the workflow's name stands. */
export type Workflow = Readonly<{
  description: string;
  private: boolean;
  env: Variables;
  steps: readonly Step[];
  range: Range;
}>;

/** `condition` is as written, undefined where there is none or it is blank. */
export type Step = Readonly<
  { name: string; condition: string | undefined; with: Variables } & (
    { kind: 'run'; command: string } | { kind: 'call'; workflow: string }
  )
>;
