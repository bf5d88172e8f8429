import type { OutputRead, Plan, RunOp } from '../ir/plan.ts';
import { allReads } from '../ir/ops.ts';
import { identifier, NameTable } from './bash_words.ts';

/** The variable of an output without references. */
export const UNUSED = 'wf_unused';

/** The script variables that hold outputs. */
export class OutputNames {
  readonly #names = new Map<string, string>();

  constructor(plan: Plan) {
    const table = new NameTable();
    for (const { from, step, output } of allReads(plan)) {
      const key = `${from} ${output}`;
      if (from === null || this.#names.has(key)) continue;
      this.#names.set(key, table.add(`wf_out_${identifier(step)}_${output}`));
    }
  }

  /** The variable of an output of the step at an index. */
  ofStep(index: number, output: string): string {
    return this.#names.get(`${index} ${output}`) ?? UNUSED;
  }

  /** The variable for a reference. It is never set if no step of the plan has the output. */
  ofRead({ from, output }: OutputRead): string {
    return from === null ? 'wf_never' : this.ofStep(from, output);
  }
}

/** Whether a step reads values from its standard output. */
export function hasOutputs({ options }: RunOp): boolean {
  return options.outputs.length > 0;
}
