import type { CommandText, IncludedFile, Secrets, WorkflowFile } from '../../ast.ts';
import type { ErrorDetail, NamedPlace, Owner, SecretFiles, DiagnosticCollector } from '../../diagnostics/diagnostic.ts';
import { FILE, commandsOf, declaredSecrets, referringTexts, stepsOf, variableScopes } from '../../lint/scopes.ts';
import type { ReferenceParser } from '../../references/reference_parser.ts';
import { rangeAt, type SourceRange } from '../../syntax/source_range.ts';

const NONE: ReadonlyMap<string, number> = new Map();

/**
 * A file with its includes, the paths of all of them, the declared inputs of its workflows, and the search for variables in
 * commands.
 */
type CheckedFile = Readonly<{ file: WorkflowFile; inputs: readonly NamedPlace[]; paths: readonly IncludedFile[] }> &
  Pick<ReferenceParser, 'findVariables'>;

/**
 * Checks that each declared secret has no other source, that no condition uses it, and that each command lists the
 * secrets that it uses, from those of its own file. Warns of secrets that no command lists.
 */
export function checkSecretUses(checked: CheckedFile, diagnostics: DiagnosticCollector): void {
  const uses = new SecretUses(checked, diagnostics);
  uses.checkSources();
  uses.checkConditions();
  uses.checkCommands();
}

class SecretUses {
  readonly #diagnostics: DiagnosticCollector;
  readonly #checked: CheckedFile;
  /** The secrets that any of the files declares. */
  readonly #names: ReadonlySet<string>;

  constructor(checked: CheckedFile, diagnostics: DiagnosticCollector) {
    this.#checked = checked;
    this.#diagnostics = diagnostics;
    const names = new Set<string>();
    for (const secrets of declaredSecrets(checked.file)) for (const name of secrets.keys()) names.add(name);
    this.#names = names;
  }

  /** Reports what else sets a secret, or refers to it in a value. */
  checkSources(): void {
    const { file, inputs } = this.#checked;
    for (const [, variables, owner] of variableScopes(file)) {
      for (const [name, { range }] of variables) this.#failIfSecret('set secret', name, owner, range);
    }
    for (const { name, owner, range } of inputs) this.#failIfSecret('set secret', name, owner, range);
    for (const { names, owner, range } of referringTexts(file)) {
      for (const name of names) this.#failIfSecret('set secret', name, owner, range);
    }
  }

  checkConditions(): void {
    for (const { step, owner } of stepsOf(this.#checked.file)) {
      const { condition } = step;
      if (condition === undefined) continue;
      const names = new Set([condition.text.trim(), ...this.#usedIn(condition.text).keys()]);
      for (const name of names) this.#failIfSecret('secret in condition', name, owner, condition.range);
    }
  }

  checkCommands(): void {
    const { file } = this.#checked;
    const listed = new Map<Secrets, Set<string>>();
    for (const [command, owner] of commandsOf(file)) {
      const { secrets } = file.workflows.get(owner.workflow)?.scope ?? file;
      this.#checkList(command, owner, secrets);
      const all = listed.get(secrets) ?? new Set();
      listed.set(secrets, all);
      for (const { name } of command.secrets ?? []) all.add(name);
    }
    for (const secrets of declaredSecrets(file)) {
      for (const [name, { range }] of secrets) {
        if (listed.get(secrets)?.has(name) !== true)
          this.#diagnostics.warn({ code: 'unused secret', name }, FILE, range);
      }
    }
  }

  /** Checks the list of a command against the secrets of its file and against what the command uses. */
  #checkList(command: CommandText, owner: Owner, secrets: Secrets): void {
    const listed = new Set<string>();
    for (const { name, range } of command.secrets ?? []) {
      listed.add(name);
      const known = [...secrets.keys()];
      const files = this.#filesOf(name, secrets, range);
      if (!secrets.has(name)) this.#diagnostics.fail({ code: 'unknown secret', name, known, files }, owner, range);
    }
    for (const [name, start] of this.#usedIn(command.text)) {
      if (listed.has(name)) continue;
      const [isDeclared, files] = [secrets.has(name), this.#filesOf(name, secrets, command.range)];
      const detail = { code: 'unlisted secret', name, isDeclared, files } as const;
      this.#diagnostics.fail(detail, owner, rangeAt(command, start));
    }
  }

  /** The file of a command and the other one that declares a secret; undefined if it is the only one. */
  #filesOf(name: string, own: Secrets, { start }: SourceRange): SecretFiles | undefined {
    if (own.has(name)) return undefined;
    const { file, paths } = this.#checked;
    const declared = declaredSecrets(file).flatMap((secrets) => secrets.get(name)?.range.start ?? []);
    const pathAt = (offset: number): string | undefined => paths.findLast((each) => each.start <= offset)?.path;
    const [from, to] = [declared.map(pathAt)[0], pathAt(start)];
    return from === undefined || to === undefined ? undefined : { from, to };
  }

  /** The secrets that a command expands, each with the offset of its first use. */
  #usedIn(command: string): ReadonlyMap<string, number> {
    if (!command.includes('$') || ![...this.#names].some((name) => command.includes(name))) return NONE;
    const used = new Map<string, number>();
    for (const { name, start } of this.#checked.findVariables(command)) {
      if (this.#names.has(name) && !used.has(name)) used.set(name, start);
    }
    return used;
  }

  #failIfSecret(
    code: (ErrorDetail & { code: 'set secret' | 'secret in condition' })['code'],
    name: string,
    owner: Owner,
    range: SourceRange,
  ): void {
    if (this.#names.has(name)) this.#diagnostics.fail({ code, name }, owner, range);
  }
}
