import type { CommandText, FileScope, Secrets, SecretSource, WorkflowFile } from '../../frontend/ast.ts';
import type { ArgumentLookup, HookOp, PlanSecret, SecretProgram } from '../plan.ts';
import { lookupsOf } from './frame_table.ts';

/** The secrets of a plan, in the order in which its commands list them. */
export class SecretTable {
  readonly #file: WorkflowFile;
  readonly #secrets: PlanSecret[] = [];
  readonly #indexes = new Map<SecretSource, number>();
  /** Commands with the same list share it. */
  readonly #lists = new Map<string, readonly number[]>();

  constructor(file: WorkflowFile) {
    this.#file = file;
  }

  /** The field of a command for the secrets that it lists. `scope` is that of its file. */
  listOf({ secrets }: CommandText, scope: FileScope | null): Pick<HookOp, 'secrets'> {
    if (secrets === undefined) return {};
    const declared = (scope ?? this.#file).secrets;
    const list = secrets.flatMap(({ name }) => this.#indexOf(name, declared));
    const key = list.join();
    const shared = this.#lists.get(key) ?? list;
    this.#lists.set(key, shared);
    return { secrets: shared };
  }

  #indexOf(name: string, declared: Secrets): number[] {
    const source = declared.get(name);
    if (source === undefined) return [];
    const known = this.#indexes.get(source);
    if (known !== undefined) return [known];
    const index = this.#secrets.push({ name, source: programOf(source) }) - 1;
    this.#indexes.set(source, index);
    return [index];
  }

  /** The secrets that commands list, and then the names of the others. */
  all(): readonly PlanSecret[] {
    const names = new Set(this.#secrets.map(({ name }) => name));
    const unlisted: PlanSecret[] = [];
    for (const name of declaredNames(this.#file)) {
      if (names.size !== names.add(name).size) unlisted.push({ name, source: null });
    }
    return [...this.#secrets, ...unlisted];
  }
}

/** The names of all secrets that a file and its includes declare. */
function* declaredNames({ secrets, workflows }: WorkflowFile): Generator<string> {
  yield* secrets.keys();
  const scopes = new Set<FileScope>();
  for (const workflow of workflows.values()) {
    for (let { scope } = workflow; scope !== null && !scopes.has(scope); scope = scope.outer) {
      scopes.add(scope);
      yield* scope.secrets.keys();
    }
  }
}

/** The program of a secret in a plan that is not linked. */
export function programOf({ command, value, timeout }: SecretSource): SecretProgram {
  const lookups: ArgumentLookup[] = [];
  for (const [argument, text] of command.entries()) {
    for (const lookup of lookupsOf(text)) lookups.push({ ...lookup, argument });
  }
  const fields = { command: command.map(({ text }) => text), value, timeout };
  return lookups.length === 0 ? fields : { ...fields, lookups };
}
