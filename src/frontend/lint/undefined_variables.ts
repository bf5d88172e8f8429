import type { SourceText, WorkflowFile } from '../ast.ts';
import type { Owner, Warn } from '../diagnostics/diagnostic.ts';
import { rangeAt } from '../syntax/source_range.ts';
import type { LintedRun } from './linted_run.ts';
import { commandsOf, declaredSecrets, referredVariables, setVariables, type OwnedCommand } from './scopes.ts';
import { bareWords, mayExpect, mayMention, mayUse, shellVariables } from './shell_variables.ts';

/** The requested run, if any, and the texts of all conditions. `isShown`: whether warnings of an owner are shown. */
type LintContext = Readonly<{
  run: LintedRun | undefined;
  conditions: readonly string[];
  isShown: (owner: Owner) => boolean;
}>;

/**
 * Warns once of each variable that commands use but nothing sets. A variable that a condition or a description
 * mentions, or a command without expanding it, is assumed to come from outside.
 */
export function findUndefinedVariables(file: WorkflowFile, context: LintContext, warn: Warn): void {
  /** Whether a variable is known or has been reported. */
  const knownNames = new Map<string, boolean>();
  const isSought = (name: string): boolean => !isKnown(name);

  /** The variables that the file sets. */
  const set = setVariables(file);

  /** The first command that uses each variable. */
  function unknownUses(): ReadonlyMap<string, OwnedCommand> {
    const found = new Map<string, OwnedCommand>();
    for (const command of commandsOf(file)) {
      const [{ text }, owner] = command;
      if (!mayUse(text, isSought) || !context.isShown(owner)) continue;
      for (const variable of shellVariables(text).read) {
        if (!isKnown(variable)) found.set(variable, command);
        knownNames.set(variable, true);
      }
    }
    return found;
  }

  function markKnown(names: Iterable<string>): void {
    for (const name of names) knownNames.set(name, true);
  }

  function isKnown(name: string): boolean {
    const { run } = context;
    const known = knownNames.get(name);
    if (known !== undefined) return known;
    const isSet = set.has(name) || isCommonlySet(name) || run?.params.has(name) === true;
    const isKnown = isSet || run?.inherits(name) === true;
    knownNames.set(name, isKnown);
    return isKnown;
  }

  for (const text of [...context.conditions, ...descriptionsOf(file)]) markKnown(namesIn(text));
  markKnown(referredVariables(file));
  // A command that uses a secret lists it.
  for (const secrets of declaredSecrets(file)) markKnown(secrets.keys());
  for (const [{ text }] of commandsOf(file)) if (mayExpect(text)) markKnown(shellVariables(text).expected);
  const found = unknownUses();
  const words = found.size === 0 ? found : wordsOf(file, mayMention([...found.keys()]));
  let uses: { text?: SourceText; offsets: ReadonlyMap<string, number> } = { offsets: new Map() };
  for (const [variable, [text, owner]] of found) {
    if (words.has(variable)) continue;
    if (text.lines !== undefined && uses.text !== text) uses = { text, offsets: firstUses(text.text) };
    const range = text.lines === undefined ? text.range : rangeAt(text, uses.offsets.get(variable) ?? 0);
    warn({ code: 'undefined variable', variable, known: set }, owner, range);
  }
}

/** The offset of the first expansion of each variable. One pass serves all variables of a text. */
function firstUses(text: string): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  for (const { index, 1: name = '' } of text.matchAll(/\$\{?([A-Za-z_]\w*)/g)) {
    if (!offsets.has(name)) offsets.set(name, index);
  }
  return offsets;
}

/** The words of commands that may be variable names: `for key in APP_ID VERSION`. */
export function wordsOf(file: WorkflowFile, isSought: (command: string) => boolean): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [{ text }] of commandsOf(file)) {
    if (isSought(text)) for (const word of bareWords(text)) words.add(word);
  }
  return words;
}

function descriptionsOf({ workflows }: WorkflowFile): readonly string[] {
  return [...workflows.values()].map(({ description }) => description);
}

function namesIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

/** Variables that a system, a session, a build or a CI service commonly sets. */
const COMMON = [
  'CC|CI|CFLAGS|COLORTERM|CPPFLAGS|CXX|CXXFLAGS|DEBIAN_FRONTEND|DESTDIR|DISPLAY|EDITOR|EMAIL|FORCE_COLOR|GOARCH|GOBIN',
  'GOOS|GOPATH|GOROOT|HOME|INIT_CWD|KUBECONFIG|LANG|LANGUAGE|LDFLAGS|LD_LIBRARY_PATH|LOGNAME|MAIL|MAKEFLAGS|MAKELEVEL|MANPATH',
  'NO_COLOR|PAGER|PATH|PREFIX|PWD|SHELL|SOURCE_DATE_EPOCH|TE?MP|TERM|TMPDIR|TZ|USER|USERNAME|VIRTUAL_ENV|VISUAL|WORKSPACE',
  '\\w+_(?:HOME|proxy|PROXY)|LESS\\w*|PG[A-Z]\\w*|PYTHON\\w*',
  '(?:ANDROID|APPVEYOR|ARM|AWS|AZURE|BITBUCKET|BUILD|BUILDKITE|CARGO|CI|CIRCLE|CLI|CODEBUILD|CONDA|DOCKER|DRONE|GCLOUD)_\\w+',
  '(?:GCP|GIT|GITEA|GITHUB|GITLAB|GOOGLE|HOMEBREW|JENKINS|JOB|KUBE|KUBERNETES|LC|NIX|NODE|NPM|npm|NVM|PIP|PYENV)_\\w+',
  '(?:RUNNER|RUST|SSH|SUDO|SYSTEM|SYSTEMD|TEAMCITY|TF|TRAVIS|VAULT|WSL|XDG)_\\w+',
]
  .map((names) => `^(?:${names})$`)
  .join('|');

let commonPattern: RegExp | undefined;

/** Whether a variable is commonly set outside of the file. */
function isCommonlySet(name: string): boolean {
  // Compiled on use, because most files set all of their variables.
  commonPattern ??= new RegExp(COMMON);
  return commonPattern.test(name);
}
