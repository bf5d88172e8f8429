import type { Io, Options } from '../../../../src/internal.ts';
import type { ArgumentsOf, ToolName } from '../protocol/tool_table.ts';
import type { ToolResult } from '../results/tool_result.ts';
import { getRun } from './get_run.ts';
import { listWorkflows } from './list_workflows.ts';

type Handlers = {
  readonly [Name in ToolName]: (args: ArgumentsOf<Name>, signal: AbortSignal) => Promise<ToolResult>;
};

/** The tools of a project. Each call reads its files anew. */
export class Tools {
  readonly #handlers: Handlers;

  constructor(io: Io, options: Options) {
    this.#handlers = {
      list_workflows: (args) => listWorkflows(io, options, args),
      get_run: (args, signal) => getRun(io, args, signal),
    };
  }

  /** Calls a tool. */
  async call<Name extends ToolName>(name: Name, args: ArgumentsOf<Name>, signal: AbortSignal): Promise<ToolResult> {
    return this.#handlers[name](args, signal);
  }
}
