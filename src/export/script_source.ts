import type { PlanDescriber } from './body_writer.ts';

/** The file of a plan, and functions that describe the plan. */
export type ScriptSource = PlanDescriber & Readonly<{ path: string }>;
