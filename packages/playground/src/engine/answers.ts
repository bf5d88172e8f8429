import {
  check,
  compile,
  diff,
  explain,
  explainText,
  exportScript,
  link,
  list,
  parse,
  preview,
  validateText,
  type Comparison,
  type ExplainedStep,
  type ExportedScript,
  type ListedWorkflow,
  type Preview,
  type Project,
} from '../../../../src/api.ts';

/** The default path of a file, which messages show. */
export const PATH = '.cli/workflow.json';

/** The parts of a file that another file or program would give. */
const OTHER_FILES = /"(include|dotenv)"\s*:/g;

/** The explanation of a workflow: its steps, or why there are none. */
export type Explained = Readonly<{ messages: string; steps: readonly ExplainedStep[]; text: string }>;

/** The results for a file, each computed on first use. */
export class Answers {
  readonly text: string;
  readonly project: Project;
  #problems: string | undefined;

  constructor(text: string, project: Project = parse(text)) {
    this.text = text;
    this.project = project;
  }

  /** The output of `cli validate`. */
  get problems(): string {
    return (this.#problems ??= validateText(this.project));
  }

  get codes(): readonly string[] {
    return [...new Set(check(this.project).map(({ code }) => code))];
  }

  get workflows(): readonly ListedWorkflow[] {
    return list(this.project);
  }

  /** The fields of the file that name files, which the page does not have. */
  get missingFiles(): readonly string[] {
    return [...new Set([...this.text.matchAll(OTHER_FILES)].map(([, field = '']) => field))];
  }

  preview(workflow: string, params: Readonly<Record<string, string>>, assume: readonly string[]): Promise<Preview> {
    return preview(this.project, workflow, { params, assume });
  }

  script(workflow: string): Promise<ExportedScript> {
    return exportScript(this.project, workflow);
  }

  /** The changes since an earlier text of the file. */
  since(before: string): Promise<Comparison> {
    return diff(parse(before), this.project, { from: 'the file before', to: PATH });
  }

  explain(workflow: string, params: Readonly<Record<string, string>>): Explained {
    const compiled = compile(this.project, workflow, { params });
    const linked = compiled.ok ? link(compiled.plan) : compiled;
    // References without a value are shown as they are written.
    const shown = compiled.ok ? (linked.ok ? linked.plan : compiled.plan) : undefined;
    const problems = linked.ok ? [] : linked.diagnostics;
    const messages = problems.map((each) => `${each.file}:${each.line}:${each.column}: ${each.message}\n`).join('');
    if (shown === undefined) return { messages, steps: [], text: '' };
    return { messages, steps: explain(shown), text: explainText(shown) };
  }
}
