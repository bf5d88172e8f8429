import type { Options } from '../../command_line/parse_command_line.ts';
import type { Plan } from '../../../ir/plan.ts';
import type { Result } from '../../../base/result.ts';
import { WHOLE, type SelectedPart } from './record_run.ts';

/** Whether the command line selects a part of a workflow. */
export function selectsPart({ from, until, only }: Pick<Options, 'from' | 'until' | 'only'>): boolean {
  return (from ?? until ?? only) !== undefined;
}

/** The part of a new run that the command line selects. Loads the code that selects only for a part. */
export async function selectedPart(plan: Plan, options: Options): Promise<Result<SelectedPart>> {
  const part = selectsPart(options) ? (await import('./select_part.ts')).selectPart(plan, options) : undefined;
  return part?.ok === false ? part : { ok: true, value: part?.value ?? WHOLE };
}

/** The part of a run, as texts that count for what was shown. */
export function partTexts({ from, until }: Pick<SelectedPart, 'from' | 'until'>): readonly string[] {
  return [JSON.stringify([from, until])];
}
