import type { Include, Secrets, SourceText, Workflow, WorkflowFile } from '../ast.ts';
import { redactKey, DiagnosticCollector } from '../diagnostics/diagnostic.ts';
import type { DiagnosticList, NamedPlace, Owner } from '../diagnostics/diagnostic.ts';
import { isMeantAs } from '../diagnostics/resembles.ts';
import type { ReferenceParser } from '../references/reference_parser.ts';
import { durationOf } from '../schema/duration.ts';
import { FileFields, Name, PlainText, SecretFields, WorkflowFields, type EveryField } from '../schema/schema.ts';
import type { JsonNode, Member, ObjectNode, TextNode } from '../syntax/json_tree.ts';
import type { findProblem } from '../syntax/json_problems.ts';
import { rangeOf, type SourceRange } from '../syntax/source_range.ts';
import type { RareFields } from './rare_fields.ts';
import type { SecretCheckers } from './secrets/secret_checkers.ts';
import { ShapeChecker } from './shape_checker.ts';
import { StepChecker, type CallSite } from './step_checker.ts';
import { TextChecker } from './text_checker.ts';
import { variablesOf } from './variable_checker.ts';

/** The owner of diagnostics outside any workflow. */
export const FILE: Owner = { workflow: '' };

const NO_SECRETS: Secrets = new Map();

/** The code that the checks of secrets share with others. A separately loaded part would repeat it. */
const SHARED = { SecretFields, PlainText, durationOf, redactKey };

const HOOKS = ['before_all', 'after_all', 'error', 'finally'] as const;

/** The result of each field of a file. `$schema` is only for editors. */
type FileResult = WorkflowFile & { readonly $schema: undefined };

/**
 * The parts that most files do not need: `references` for outputs and references, `rare` for rare fields, `secrets`, and
 * `findProblem` for files that are no valid JSON.
 */
export type CheckerParts = Readonly<{
  references: ReferenceParser | undefined;
  rare: RareFields | undefined;
  secrets: SecretCheckers | undefined;
  findProblem: typeof findProblem | undefined;
}>;

/** Converts a syntax tree to a workflow file, and collects all errors and warnings. */
export class FileChecker {
  readonly diagnostics = new DiagnosticCollector();
  readonly parts: CheckerParts;
  /** The names of all workflows, including malformed ones. */
  readonly names = new Set<string>();
  /** The declared inputs of all workflows, with their ranges. */
  readonly inputs: NamedPlace[] = [];
  readonly #shapes = new ShapeChecker(this.diagnostics);
  readonly #texts: TextChecker;
  readonly #steps: StepChecker;
  readonly #aliases: { readonly alias: string; readonly owner: Owner; readonly range: SourceRange }[] = [];
  readonly #prefix: string;
  #default: TextNode | undefined;
  root: JsonNode | undefined;
  /** The valid includes, even if the file is malformed. */
  includes: readonly Include[] = [];
  /** The valid workflows, even if the file is malformed. */
  workflows: ReadonlyMap<string, Workflow> = new Map();
  /** The valid part of the file; undefined without one, or if the list of its secrets cannot be read. */
  validPart: WorkflowFile | undefined;
  /** The hooks of the file, for warnings: the hooks of an included file do not run. */
  hooks: readonly (readonly [name: string, text: SourceText])[] = [];

  /** `prefix` is prepended to the names of all workflows. */
  constructor(parts: CheckerParts, prefix = '') {
    this.parts = parts;
    this.#texts = new TextChecker(this.#shapes, parts.references);
    this.#steps = new StepChecker(this.#texts, parts.rare, prefix);
    this.#prefix = prefix;
  }

  get calls(): readonly CallSite[] {
    return this.#steps.calls;
  }

  get hasReferences(): boolean {
    return this.#texts.referring.length > 0;
  }

  /** The references of an invalid file to steps or outputs that are in none of the given files. */
  checkNamedSteps(checkers: readonly FileChecker[]): DiagnosticList {
    const { references } = this.parts;
    const found = new DiagnosticCollector();
    if (references === undefined || !this.hasReferences) return found.errors;
    const steps = new Map<string, Set<string>>();
    for (const { root } of checkers) if (root !== undefined) references.namedSteps(root, steps);
    references.checkNamedSteps(this.#texts.referring, steps, (...error) => found.fail(...error));
    return found.errors;
  }

  /** The file; undefined if anything in it has the wrong shape. */
  file(root: JsonNode): WorkflowFile | undefined {
    this.root = root;
    if (!this.#shapes.isObject(root, 'the file', FILE)) return undefined;
    const { values, members } = this.#shapes.checkFields(root, FileFields, FILE);
    const named = members.get('default')?.value;
    if (named?.kind === 'string') this.#default = named;
    this.includes = this.parts.rare?.includesOf(this.#shapes, members.get('include'), FILE) ?? [];
    const fields: EveryField<typeof FileFields, FileResult> = {
      $schema: undefined,
      default: values?.default,
      agents: values?.agents,
      env: variablesOf(this.#texts, members.get('env'), FILE),
      dotenv: this.#texts.paths(members, 'dotenv', FILE),
      include: this.includes,
      secrets: this.parts.secrets?.secretsOf(this.#texts, members.get('secrets'), FILE, SHARED) ?? NO_SECRETS,
      before_all: this.#texts.hook(members, 'before_all', FILE),
      after_all: this.#texts.hook(members, 'after_all', FILE),
      error: this.#texts.hook(members, 'error', FILE),
      finally: this.#texts.hook(members, 'finally', FILE),
      workflows: this.#workflows(members.get('workflows')?.value),
    };
    this.workflows = fields.workflows;
    this.#checkAliases();
    this.hooks = HOOKS.flatMap((name) => {
      const text = fields[name];
      return text === undefined ? [] : [[name, text] as const];
    });
    const { $schema: _, before_all: beforeAll, after_all: afterAll, ...others } = fields;
    const file = { ...others, beforeAll, afterAll, files: [] };
    const secrets = members.get('secrets');
    const isKnown = secrets === undefined ? !hasNearMiss(root, 'secrets') : secrets.value.kind === 'object';
    if (isKnown) this.validPart = file;
    return values === undefined || this.diagnostics.errors.items.length > 0 ? undefined : file;
  }

  /** Checks that the default workflow exists. Like a call of an unknown workflow, an unknown one is not malformed. */
  checkDefault(names: ReadonlySet<string> = this.names): void {
    const node = this.#default;
    if (node === undefined || node.value === '' || names.has(node.value)) return;
    const detail = { code: 'unknown workflow', field: 'default', name: node.value, known: names } as const;
    this.diagnostics.fail(detail, FILE, rangeOf(node));
  }

  /** The valid workflows. */
  #workflows(node: JsonNode | undefined): ReadonlyMap<string, Workflow> {
    const workflows = new Map<string, Workflow>();
    const members = node?.kind === 'object' ? [...this.#shapes.uniqueMembers(node, FILE)] : [];
    this.parts.rare?.checkIncludedNames(this.#shapes, this.includes, members, FILE);
    for (const member of members) {
      const name = this.#prefix + member.key;
      this.names.add(name);
      const isNamed = this.#shapes.checkKey(member, Name, 'workflows', FILE, member.key);
      const workflow = this.#workflow(member, name);
      if (isNamed && workflow !== undefined) workflows.set(name, workflow);
    }
    return workflows;
  }

  #workflow({ range, value }: Member, name: string): Workflow | undefined {
    const owner = { workflow: name };
    if (!this.#shapes.isObject(value, 'the workflow', owner)) return undefined;
    const { values, members } = this.#shapes.checkFields(value, WorkflowFields, owner);
    const fields: EveryField<typeof WorkflowFields, Workflow> = {
      description: values?.description ?? '',
      private: values?.private ?? false,
      agents: values?.agents,
      aliases: this.#aliasesOf(members.get('aliases')?.value, owner),
      inputs: this.parts.rare?.inputsOf(this.#shapes, members.get('inputs'), owner, this.inputs) ?? null,
      env: variablesOf(this.#texts, members.get('env'), owner),
      dotenv: this.#texts.paths(members, 'dotenv', owner),
      dir: this.#texts.directory(members, owner),
      error: this.#texts.hook(members, 'error', owner),
      finally: this.#texts.hook(members, 'finally', owner),
      once: values?.once ?? false,
      logs: values?.logs,
      lock: this.#texts.lock(members, owner),
      steps: this.#steps.steps(members.get('steps')?.value, name, values?.once === true),
    };
    return { ...fields, range, scope: null };
  }

  /** The valid aliases of a workflow. */
  #aliasesOf(node: JsonNode | undefined, owner: Owner): readonly string[] {
    if (node?.kind !== 'array') return [];
    return node.items.flatMap((item) => {
      if (!this.#shapes.checkValue(item, Name, 'aliases', owner) || item.kind !== 'string') return [];
      this.#aliases.push({ alias: item.value, owner, range: rangeOf(item) });
      return item.value;
    });
  }

  /** Checks that each alias is unique. */
  #checkAliases(): void {
    const taken = new Map([...this.names].map((name) => [name, name]));
    for (const { alias, owner, range } of this.#aliases) {
      const other = taken.get(alias);
      if (other === undefined) taken.set(alias, owner.workflow);
      else this.diagnostics.fail({ code: 'bad alias', alias, taken: other }, owner, range);
    }
  }
}

function hasNearMiss({ members }: ObjectNode, field: string): boolean {
  return members.some(({ key }) => key !== field && isMeantAs(key, field));
}
