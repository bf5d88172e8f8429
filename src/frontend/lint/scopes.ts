import type { CommandText, FileScope, Matrix, Secrets, SourceText, Step, Variables, WorkflowFile } from '../ast.ts';
import { memberNumber, type Owner, type StepNumber } from '../diagnostics/diagnostic.ts';
import type { SourceRange } from '../syntax/source_range.ts';

/** The owner of scopes outside of workflows. */
export const FILE: Owner = { workflow: '' };

/** The variables of one `env` or `with` field, or values of a matrix. */
type VariableScope = readonly [field: 'env' | 'with' | 'matrix', Variables, Owner];

type OwnedStep = Readonly<{ step: Step; owner: Owner }>;

/** Values by file. They are computed once, because a lint iterates over them many times. */
type Known<Value extends object> = WeakMap<WorkflowFile, Value>;

const knownSteps: Known<readonly OwnedStep[]> = new WeakMap();
const knownScopes: Known<readonly VariableScope[]> = new WeakMap();
const knownReferred: Known<ReadonlySet<string>> = new WeakMap();

function computedOnce<Value extends object>(
  known: Known<Value>,
  file: WorkflowFile,
  compute: (file: WorkflowFile) => Value,
): Value {
  const value = known.get(file) ?? compute(file);
  known.set(file, value);
  return value;
}

/** All steps of a file, with the members of each group after the group. */
export function stepsOf(file: WorkflowFile): readonly OwnedStep[] {
  return computedOnce(knownSteps, file, ({ workflows }) => {
    const all: OwnedStep[] = [];
    for (const [workflow, { steps }] of workflows) addSteps(all, steps, workflow);
    return all;
  });
}

function addSteps(all: OwnedStep[], steps: readonly Step[], workflow: string, group?: StepNumber): void {
  let position = 0;
  for (const step of steps) {
    position += 1;
    const number = memberNumber(position, group);
    all.push({ step, owner: { workflow, step: number } });
    if (step.kind === 'group') addSteps(all, step.members, workflow, number);
  }
}

/** The scopes of included files. */
export function fileScopes({ workflows }: WorkflowFile): ReadonlySet<FileScope> {
  const scopes = new Set<FileScope>();
  for (const workflow of workflows.values()) {
    for (let { scope } = workflow; scope !== null && !scopes.has(scope); scope = scope.outer) scopes.add(scope);
  }
  return scopes;
}

/** All scopes of a file that set variables. */
export function variableScopes(file: WorkflowFile): readonly VariableScope[] {
  return computedOnce(knownScopes, file, (each) => [...scopesOf(each)]);
}

function* scopesOf(file: WorkflowFile): Generator<VariableScope> {
  yield ['env', file.env, FILE];
  for (const { env } of fileScopes(file)) yield ['env', env, FILE];
  for (const [workflow, { env }] of file.workflows) yield ['env', env, { workflow }];
  for (const { step, owner } of stepsOf(file)) {
    if (step.matrix !== null) for (const row of rowsOf(step.matrix)) yield ['matrix', row, owner];
    if (step.with.size > 0) yield ['with', step.with, owner];
  }
}

/** The rows of a matrix: the first value of each variable, then the second, and so on. */
function* rowsOf(matrix: Matrix): Generator<Variables> {
  const lists = [...matrix];
  const length = Math.max(0, ...lists.map(([, values]) => values.length));
  for (let index = 0; index < length; index += 1) {
    yield new Map(lists.flatMap(([name, { [index]: value }]) => (value === undefined ? [] : [[name, value] as const])));
  }
}

/** The variables that a file sets, and the inputs of its workflows. */
export function setVariables(file: WorkflowFile): Set<string> {
  const names = new Set<string>();
  for (const [, variables] of variableScopes(file)) for (const name of variables.keys()) names.add(name);
  for (const { inputs } of file.workflows.values()) for (const { name } of inputs ?? []) names.add(name);
  return names;
}

/** The variables that values, directories and questions refer to. */
export function referredVariables(file: WorkflowFile): ReadonlySet<string> {
  return computedOnce(knownReferred, file, (each) => new Set(referredIn(each)));
}

function* referredIn(file: WorkflowFile): Generator<string> {
  for (const { names } of referringTexts(file)) yield* names;
}

/** A text of the file that refers to variables: its field, its owner and its range, and their names. */
export type FilePlace = Readonly<{ field: string; owner: Owner; range: SourceRange; names: readonly string[] }>;

/** The values, directories, questions, tests of readiness, locks, patterns, arguments and paths of a file that refer to variables. */
export function* referringTexts(file: WorkflowFile): Generator<FilePlace> {
  for (const [field, variables, owner] of variableScopes(file)) {
    for (const [name, text] of variables) yield* placeOf(text, `${field}.${name}`, owner);
  }
  yield* dotenvTexts(file);
  for (const [workflow, { dir, lock }] of file.workflows) {
    yield* placeOf(dir, 'dir', { workflow });
    yield* placeOf(lock, 'lock', { workflow });
  }
  for (const { step, owner } of stepsOf(file)) {
    yield* placeOf(step.dir, 'dir', owner);
    if (step.kind !== 'run') continue;
    yield* placeOf(step.question, 'confirm', owner);
    yield* placeOf(step.ready, `ready.${step.options.ready?.kind}`, owner);
    if (step.check === null) continue;
    for (const field of ['sources', 'generates'] as const) {
      for (const [index, text] of step.check[field].entries()) yield* placeOf(text, `${field}[${index}]`, owner);
    }
  }
  for (const secrets of declaredSecrets(file)) {
    for (const [name, { command }] of secrets) {
      for (const [index, text] of command.entries()) yield* placeOf(text, `secrets.${name}.command[${index}]`, FILE);
    }
  }
}

/** The paths of dotenv files that refer to variables. */
export function* dotenvTexts(file: WorkflowFile): Generator<FilePlace> {
  const scopes = [file, ...fileScopes(file)].map(({ dotenv }) => [dotenv, FILE] as const);
  const own = [...file.workflows].map(([workflow, { dotenv }]) => [dotenv, { workflow }] as const);
  for (const [dotenv, owner] of [...scopes, ...own]) {
    for (const [index, text] of dotenv.entries()) {
      yield* placeOf(text, dotenv.length === 1 ? 'dotenv' : `dotenv[${index}]`, owner);
    }
  }
}

function* placeOf(text: SourceText | undefined, field: string, owner: Owner): Generator<FilePlace> {
  if (text?.variables === undefined) return;
  yield { field, owner, range: text.range, names: text.variables.map(({ name }) => name) };
}

/** The secrets of a file and of its includes. */
export function declaredSecrets(file: WorkflowFile): readonly Secrets[] {
  return [file, ...fileScopes(file)].flatMap(({ secrets }) => (secrets.size === 0 ? [] : [secrets]));
}

/** A command of a file, the position of its hook or step, and the name of its step: `hook:NAME` for a hook. */
export type OwnedCommand = readonly [text: CommandText, owner: Owner, name: string];

/** The commands of hooks and steps. */
export function* commandsOf(file: WorkflowFile): Generator<OwnedCommand> {
  const { beforeAll: before_all, afterAll: after_all, error, finally: last } = file;
  yield* hooksOf({ before_all, after_all, error, finally: last }, FILE);
  for (const [workflow, own] of file.workflows) {
    yield* hooksOf({ error: own.error, finally: own.finally }, { workflow });
  }
  for (const { step, owner } of stepsOf(file)) if (step.kind === 'run') yield [step.command, owner, step.name];
}

function* hooksOf(hooks: Readonly<Record<string, CommandText | undefined>>, owner: Owner): Generator<OwnedCommand> {
  for (const [name, text] of Object.entries(hooks)) if (text !== undefined) yield [text, owner, `hook:${name}`];
}
