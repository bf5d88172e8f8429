import type { SourceText } from './body_writer.ts';

/** The file of a plan, and functions that describe the plan. */
export type ScriptSource = SourceText & Readonly<{ path: string }>;
