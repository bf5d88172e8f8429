/** Words before the program of a command: variables, shell keywords, and programs that run another one. */
const BEFORE_PROGRAM = /^(?:[A-Za-z_]\w*=.*|if|then|else|elif|do|while|until|!|\{|time|exec|env|command|nohup)$/s;

/** Commands that change the shell for the commands after them. */
const CHANGES_SHELL = /^(?:cd|pushd|popd|export|set|unset|alias|source|\.|umask|trap|exit|eval|shopt|[A-Za-z_]\w*=)/;

/** The programs that a script names literally. */
export function programsIn(script: string): string[] {
  return script.split(/&&|\|\||\$\(|[;&|()\n`]/).flatMap((command) => {
    const words = command.trim().split(/\s+/);
    const program = words.find((word) => !BEFORE_PROGRAM.test(word));
    return program === undefined || program.includes('/') ? [] : [program.replaceAll(/["']/g, '')];
  });
}

/** Whether the commands of `a && b` can run in separate shells. */
export function isSplittable(script: string): boolean {
  if (/["'`(){}\\#\n]/.test(script.replaceAll(/"[^"$`\\&]*"|'[^'&]*'/g, ''))) return false;
  const words = script.split(/\s+/);
  if (words.some((word) => /^(?:if|for|while|until|case)$/.test(word))) return false;
  // `a && b; c` always runs `c`; steps would not.
  if (/\|\||;|(?<!&)&(?!&)/.test(script)) return false;
  return script.split(/&&|\|/).every((command) => !CHANGES_SHELL.test(command.trim()));
}

/** The commands of `a && b`. */
export function splitAtAnd(script: string): string[] {
  return script.split('&&').map((part) => part.trim());
}

/** The name of the script that a command runs, undefined for any other command. */
export function callOfScript(command: string): string | undefined {
  const [, name, short] =
    /^npm (?:(?:-s|--silent) )?(?:(?:run|run-script) (?:(?:-s|--silent) )?([\w:./@-]+)|(test|start))$/.exec(command) ??
    [];
  return name ?? short;
}
