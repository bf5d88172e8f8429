import type { Range } from './diagnostic.ts';

/** A text of the file, and where it stands. */
export type Text = Readonly<{ text: string; range: Range }>;

/** Variable names and values, in file order. */
export type Variables = ReadonlyMap<string, Text>;

/** What a workflow file says, after every shape in it was checked. Blank hooks are undefined. */
export type WorkflowFile = Readonly<{
  env: Variables;
  beforeAll: Text | undefined;
  afterAll: Text | undefined;
  error: Text | undefined;
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

/**
 * `condition` is as written, undefined where there is none or it is blank; `offset` is where the step begins in the
 * file's text, in UTF-16 units.
 */
export type Step = Readonly<
  { name: string; condition: Text | undefined; with: Variables; offset: number } & (
    { kind: 'run'; command: Text } | { kind: 'call'; workflow: string }
  )
>;
