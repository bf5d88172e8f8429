import type { SourceText } from './body_writer.ts';

/** The file of a plan, and how texts about it are shown. */
export type ScriptSource = SourceText & Readonly<{ path: string }>;
