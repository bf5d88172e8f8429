/**
 * Variables that common programs read. Another tool that does not export its variables can use such a name for itself;
 * in a workflow, the programs would see its value.
 */
const READ_BY_PROGRAMS = new RegExp(
  `^(?:${[
    'PATH|HOME|SHELL|USER|LOGNAME|PWD|TERM|LANG(?:UAGE)?|LC_\\w+|TZ|TE?MP|TMPDIR|EDITOR|VISUAL|PAGER|DISPLAY|CI|PORT|HOST',
    'IFS|CDPATH|DEBUG|VERBOSE|CLICOLOR|NO_COLOR|FORCE_COLOR|COLUMNS|GREP_\\w+|LESS\\w*|MAKE\\w*|LD_\\w+|DYLD_\\w+',
    'CC|CXX|AR|LD|AS|NM|RANLIB|STRIP|CPP|\\w*FLAGS|PKG_CONFIG\\w*|DESTDIR|PREFIX|prefix|CMAKE_\\w+|ARCH|CROSS_COMPILE',
    'GO(?:OS|ARCH|ARM|PATH|BIN|ROOT|PROXY|PRIVATE|SUMDB|CACHE|DEBUG|TOOLCHAIN|WORK|EXPERIMENT)|CGO_\\w+|CARGO\\w*|RUST\\w+',
    'NODE\\w*|NPM_\\w+|YARN_\\w+|PYTHON\\w+|PIP_\\w+|UV_\\w+|VIRTUAL_ENV|POETRY_\\w+|DJANGO_\\w+|FLASK_\\w+|RAILS_\\w+',
    'RUBY\\w+|GEM_\\w+|BUNDLE_\\w+|JAVA_\\w+|MAVEN_\\w+|GRADLE_\\w+|JUST_\\w+|GIT_\\w+|GH_\\w+|GITHUB_\\w+|GITLAB_\\w+',
    'DOCKER_\\w+|BUILDKIT_\\w+|COMPOSE_\\w+|KUBE\\w*|HELM_\\w+|AWS_\\w+|AZURE_\\w+|ARM_\\w+|GOOGLE_\\w+|CLOUDSDK_\\w+|TF_\\w+',
    'ANSIBLE_\\w+|VAULT_\\w+|PG\\w+|MYSQL_\\w+|POSTGRES_\\w+|REDIS_\\w+|DATABASE_URL|SSH_\\w+|GPG_\\w+|\\w+_PROXY|\\w+_proxy',
  ].join('|')})$`,
);

/** Whether a common program reads an environment variable of this name. */
export function programsRead(name: string): boolean {
  return READ_BY_PROGRAMS.test(name);
}
