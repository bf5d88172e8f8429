import type { Range } from './diagnostic.ts';

/** Variable names and values, in file order. */
export type Variables = ReadonlyMap<string, string>;

/** What a workflow file says, after every shape in it was checked. */
export interface WorkflowFile {
  readonly env: Variables;
  readonly beforeAll: string | undefined;
  readonly afterAll: string | undefined;
  readonly error: string | undefined;
  readonly workflows: ReadonlyMap<string, Workflow>;
}

export interface Workflow {
  readonly description: string;
  readonly private: boolean;
  readonly env: Variables;
  readonly steps: readonly Step[];
  /** Where the workflow's name stands. */
  readonly range: Range;
}

export type Step = RunStep | CallStep;

interface StepFields {
  /** The condition as written; undefined where there is none or it is blank. */
  readonly condition: string | undefined;
  readonly with: Variables;
}

export interface RunStep extends StepFields {
  readonly kind: 'run';
  readonly name: string;
  readonly command: string;
}

export interface CallStep extends StepFields {
  readonly kind: 'call';
  readonly workflow: string;
}
