import { ruleMessage } from '../frontend/schema/rules.ts';
import { brokenRule, Command, Name } from '../frontend/schema/schema.ts';

/** A script of a package.json. */
export type Script = Readonly<{ name: string; command: string }>;

/** The path of the schema for editors, if the package is installed in the parent directory. */
const SCHEMA = '../node_modules/workflow-plan/dist/schema.json';

/** A small file that runs as it is and shows the fields. */
export const STARTER = `// Workflows for \`cli workflow run <name>\`. \`cli workflow list\` lists them, \`cli workflow validate\` checks
// this file, and \`cli workflow run <name> --dry-run\` shows what would run.
{
  "$schema": "${SCHEMA}",

  // Variables for all commands. Parameters override them: \`cli workflow run hello NAME:you\`.
  "env": { "NAME": "world" },

  // Runs after a failure or Ctrl-C; \`before_all\` runs before the first step, \`after_all\` after success.
  "error": "echo 'That did not work'",

  "workflows": {
    "hello": {
      "description": "Greet NAME",
      "steps": [
        // A step is a shell command,
        "echo \\"Hello, $NAME\\"",
        // or an object with a name and a condition (a variable that is set, or a command that succeeds),
        { "name": "shout", "if": "SHOUT", "run": "echo \\"HELLO, $NAME\\"" },
        // or a call of another workflow, with variables.
        { "workflow": "goodbye", "with": { "WHEN": "soon" } }
      ]
    },

    "goodbye": {
      // Not listed by default.
      "private": true,
      "steps": ["echo \\"See you $WHEN, $NAME\\""]
    }
  }
}
`;

/**
 * npm scripts as workflows of the same names. As with npm, `pre<name>` and `post<name>` run before and after a script,
 * and commands of installed packages are in PATH. `leftOut` has a line for each script that cannot be converted.
 */
export function fromScripts(scripts: readonly Script[]): { text: string; leftOut: string[] } {
  const leftOut: string[] = [];
  const commands = new Map<string, string>();
  for (const { name, command } of scripts) {
    const rule = brokenRule(Name, name) ?? brokenRule(Command, command);
    if (rule === undefined) commands.set(name, command);
    else leftOut.push(`script '${name}' is left out: it ${ruleMessage(rule, '')}`);
  }
  const step = (name: string): object[] => {
    const command = commands.get(name);
    return command === undefined ? [] : [{ name, run: `PATH="$PWD/node_modules/.bin:$PATH"; ${command}` }];
  };
  const isAround = (name: string): boolean => {
    const inner = /^(?:pre|post)(.+)$/s.exec(name)?.[1];
    return inner !== undefined && commands.has(inner);
  };
  // Written as text, because an object would move names such as `10` to the front.
  const workflows = [...commands.keys()]
    .filter((name) => !isAround(name))
    .map((name) => {
      const steps = [`pre${name}`, name, `post${name}`].flatMap(step).map((each) => `        ${JSON.stringify(each)}`);
      const description = JSON.stringify(`npm run ${name}`);
      return `    ${JSON.stringify(name)}: {
      "description": ${description},
      "steps": [
${steps.join(',\n')}
      ]
    }`;
    });
  const text = `{
  "$schema": ${JSON.stringify(SCHEMA)},

  "workflows": {
${workflows.join(',\n')}
  }
}
`;
  return { text, leftOut };
}
