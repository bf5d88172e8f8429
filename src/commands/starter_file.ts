import { ruleMessage } from '../frontend/schema/rules.ts';
import { brokenRule, Command, Name } from '../frontend/schema/schema.ts';

/** A script of a package.json. */
export type Script = Readonly<{ name: string; command: string }>;

/** Where editors find the schema if the package is installed beside the file's folder. */
const SCHEMA = '../node_modules/workflow-cli/dist/schema.json';

/** A file to begin with: small, runs as it is, and shows what there is. */
export const STARTER = `// What \`cli workflow run <name>\` runs. \`cli workflow list\` shows the names, \`cli workflow validate\`
// finds mistakes, and \`cli workflow run <name> --dry-run\` shows what a run would do.
{
  "$schema": "${SCHEMA}",

  // Variables for every command. Parameters (\`cli workflow run hello NAME:you\`) win over them.
  "env": { "NAME": "world" },

  // Runs before the first step; \`after_all\` runs after success, \`error\` after a failure or Ctrl-C.
  "error": "echo 'That did not work'",

  "workflows": {
    "hello": {
      "description": "Greet NAME",
      "steps": [
        // A step is a command for the shell,
        "echo \\"Hello, $NAME\\"",
        // or an object: with a name, with a condition (a variable that is set, or a command that exits 0),
        { "name": "shout", "if": "SHOUT", "run": "echo \\"HELLO, $NAME\\"" },
        // or a call of another workflow, with variables for it.
        { "workflow": "goodbye", "with": { "WHEN": "soon" } }
      ]
    },

    "goodbye": {
      // Not listed, but it can be called, and run.
      "private": true,
      "steps": ["echo \\"See you $WHEN, $NAME\\""]
    }
  }
}
`;

/**
 * Scripts of npm as workflows of the same names. As with npm, what is called \`pre<name>\` or \`post<name>\`
 * runs before or after the script of that name, and commands of installed packages are found. Says which
 * scripts are left out, and why.
 */
export function fromScripts(scripts: readonly Script[]): { text: string; leftOut: string[] } {
  const leftOut: string[] = [];
  const commands = new Map<string, string>();
  for (const { name, command } of scripts) {
    const rule = brokenRule(Name, name) ?? brokenRule(Command, command);
    if (rule === undefined) commands.set(name, command);
    else leftOut.push(`the script '${name}' is left out: it ${ruleMessage(rule, '')}`);
  }
  const step = (name: string): object[] => {
    const command = commands.get(name);
    return command === undefined ? [] : [{ name, run: `PATH="$PWD/node_modules/.bin:$PATH"; ${command}` }];
  };
  const isAround = (name: string): boolean => {
    const inner = /^(?:pre|post)(.+)$/s.exec(name)?.[1];
    return inner !== undefined && commands.has(inner);
  };
  // Put together as text, because an object would move names such as `10` to the front.
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
