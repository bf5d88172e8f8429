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
export function isCommonlySet(name: string): boolean {
  // Compiled on use, because most files set all of their variables.
  commonPattern ??= new RegExp(COMMON);
  return commonPattern.test(name);
}
