import { redactPath } from '../cli/command_line/redact.ts';
import { readParts, mergeParts, type IncludeFiles, type LoadedPart } from '../cli/driver/include/load_includes.ts';
import type { LoadedFile } from '../cli/driver/load.ts';
import type { FileBytes } from '../cli/driver/read_file.ts';
import { RARE_FIELDS } from '../frontend/check/rare_fields.ts';
import { SECRET_CHECKERS } from '../frontend/check/secrets/secret_checkers.ts';
import type { CheckerParts } from '../frontend/check/file_checker.ts';
import { checkFile, parsedFile, parsing, readAtOnce } from '../frontend/parse.ts';
import type { NamedFile } from '../frontend/names/find_names.ts';
import { REFERENCE_PARSER } from '../frontend/references/reference_parser.ts';
import type { JsonNode } from '../frontend/syntax/json_tree.ts';
import { findProblem, parseTolerantly } from '../frontend/syntax/json_problems.ts';
import { mentionsSecret } from '../ir/secret_names.ts';
import type { Project } from './types.ts';

const ALL_PARTS = { references: REFERENCE_PARSER, rare: RARE_FIELDS, secrets: SECRET_CHECKERS, findProblem };

/** A file of a project with the tree of what can be recognised in it, for names and places. */
export type NamedPart = NamedFile & Pick<LoadedPart, 'path' | 'real' | 'checker'>;

/** A project that could be read, with all copies of its files; or the problem with its workflow file. */
export type LoadedProject = Readonly<
  | { kind: 'read'; loaded: LoadedFile; parts: readonly NamedPart[] }
  | { kind: 'unreadable'; path: string; problem: string }
>;

const known = new WeakMap<object, LoadedProject>();

/** The origin of a project. */
export function loadedProject(project: unknown): LoadedProject {
  const found = typeof project === 'object' && project !== null ? known.get(project) : undefined;
  if (found === undefined) throw new TypeError('project must be the result of parse or load');
  return found;
}

/** Makes a project of the content of its workflow file. */
export function createProject(content: FileBytes, path: string, files: IncludeFiles): Project {
  if (!content.ok) {
    const problem = `cannot read ${redactPath(path)}: ${content.problems.join('; ')}`;
    return remember({ path, valid: false, files: [{ path, text: '' }] }, { kind: 'unreadable', path, problem });
  }
  const { loaded, parts } = readProject(content.value, path, files);
  const isBroken = loaded.errors.items.some(({ code }) => code === 'syntax');
  // What a malformed file includes can only be found in its tolerant tree.
  const all = isBroken ? readProject(content.value, path, files, TOLERANT_PARTS).parts : parts;
  const originals = loaded.included.filter(({ lines, original }) => lines.base === original);
  const included = originals.map((each) => ({ path: each.path, text: each.lines.text }));
  const texts = [{ path, text: loaded.lines.text }, ...included];
  const valid = loaded.kind === 'valid' && loaded.errors.items.length === 0;
  return remember({ path, valid, files: texts }, { kind: 'read', loaded, parts: all.map(namedPart) });
}

/** The tree is made when it is first needed: most projects are only checked. */
function namedPart({ path, real, lines, checker, prefix }: LoadedPart): NamedPart {
  let tree: JsonNode | undefined;
  return {
    path,
    real,
    lines,
    checker,
    prefix,
    get tree() {
      return (tree ??= parseTolerantly(lines.text, lines.base) ?? emptyTree(lines.base));
    },
  };
}

function emptyTree(base: number): JsonNode {
  return { kind: 'object', start: base, end: base, members: [] };
}

/** The tree of what can be recognised in a file takes the place of its problem. */
const TOLERANT_PARTS: CheckerParts = {
  ...ALL_PARTS,
  findProblem: ({ text }, base) => ({ ok: true, value: parseTolerantly(text, base) ?? emptyTree(base) }),
};

function remember({ path, valid, files }: Project, loaded: LoadedProject): Project {
  const project = Object.freeze({ path, valid, files: Object.freeze(files.map((file) => Object.freeze({ ...file }))) });
  known.set(project, loaded);
  return project;
}

/** Reads a workflow file and its includes at once, with all parts of the checker. */
function readProject(
  bytes: Buffer,
  path: string,
  files: IncludeFiles,
  checkers: CheckerParts = ALL_PARTS,
): Readonly<{ loaded: LoadedFile; parts: readonly LoadedPart[] }> {
  const root = checkFile(readAtOnce(parsing(bytes), checkers));
  const read = readAtOnce(readParts(root, path, files), checkers);
  const parsed = root.checker.includes.length === 0 ? parsedFile(root) : mergeParts(read);
  const source = { ...parsed, path, isSecret: mentionsSecret, isForeign: (file: string) => file !== path };
  return { loaded: { ...parsed, source, startDirectory: '' }, parts: read.parts };
}
