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
  const names = new Set<string>();
  for (const secrets of declaredSecrets(checked.file)) for (const name of secrets.keys()) names.add(name);

  /** Reports what else sets a secret, or refers to it in a value. */
  function checkSources(): void {
    const { file, inputs } = checked;
    for (const [, variables, owner] of variableScopes(file)) {
      for (const [name, { range }] of variables) failIfSecret('set secret', name, owner, range);
    }
    for (const { name, owner, range } of inputs) failIfSecret('set secret', name, owner, range);
    for (const { names, owner, range } of referringTexts(file)) {
      for (const name of names) failIfSecret('set secret', name, owner, range);
    }
  }

  function checkConditions(): void {
    for (const { step, owner } of stepsOf(checked.file)) {
      const { condition } = step;
      if (condition === undefined) continue;
      const names = new Set([condition.text.trim(), ...usedIn(condition.text).keys()]);
      for (const name of names) failIfSecret('secret in condition', name, owner, condition.range);
    }
  }

  function checkCommands(): void {
    const { file } = checked;
    const listed = new Map<Secrets, Set<string>>();
    for (const [command, owner] of commandsOf(file)) {
      const { secrets } = file.workflows.get(owner.workflow)?.scope ?? file;
      checkList(command, owner, secrets);
      const all = listed.get(secrets) ?? new Set();
      listed.set(secrets, all);
      for (const { name } of command.secrets ?? []) all.add(name);
    }
    for (const secrets of declaredSecrets(file)) {
      for (const [name, { range }] of secrets) {
        if (listed.get(secrets)?.has(name) !== true) diagnostics.warn({ code: 'unused secret', name }, FILE, range);
      }
    }
  }

  /** Checks the list of a command against the secrets of its file and against what the command uses. */
  function checkList(command: CommandText, owner: Owner, secrets: Secrets): void {
    const listed = new Set<string>();
    for (const { name, range } of command.secrets ?? []) {
      listed.add(name);
      const known = [...secrets.keys()];
      const files = filesOf(name, secrets, range);
      if (!secrets.has(name)) diagnostics.fail({ code: 'unknown secret', name, known, files }, owner, range);
    }
    for (const [name, start] of usedIn(command.text)) {
      if (listed.has(name)) continue;
      const [isDeclared, files] = [secrets.has(name), filesOf(name, secrets, command.range)];
      const detail = { code: 'unlisted secret', name, isDeclared, files } as const;
      diagnostics.fail(detail, owner, rangeAt(command, start));
    }
  }

  /** The file of a command and the other one that declares a secret; undefined if it is the only one. */
  function filesOf(name: string, own: Secrets, { start }: SourceRange): SecretFiles | undefined {
    if (own.has(name)) return undefined;
    const { file, paths } = checked;
    const declared = declaredSecrets(file).flatMap((secrets) => secrets.get(name)?.range.start ?? []);
    const pathAt = (offset: number): string | undefined => paths.findLast((each) => each.start <= offset)?.path;
    const [from, to] = [declared.map(pathAt)[0], pathAt(start)];
    return from === undefined || to === undefined ? undefined : { from, to };
  }

  /** The secrets that a command expands, each with the offset of its first use. */
  function usedIn(command: string): ReadonlyMap<string, number> {
    if (!command.includes('$') || ![...names].some((name) => command.includes(name))) return NONE;
    const used = new Map<string, number>();
    for (const { name, start } of checked.findVariables(command)) {
      if (names.has(name) && !used.has(name)) used.set(name, start);
    }
    return used;
  }

  function failIfSecret(
    code: (ErrorDetail & { code: 'set secret' | 'secret in condition' })['code'],
    name: string,
    owner: Owner,
    range: SourceRange,
  ): void {
    if (names.has(name)) diagnostics.fail({ code, name }, owner, range);
  }

  checkSources();
  checkConditions();
  checkCommands();
}
