import { ruleMessage } from '../../frontend/schema/rules.ts';
import { brokenRule, Command, Name } from '../../frontend/schema/schema.ts';

/** A script of a package.json. */
export type Script = Readonly<{ name: string; command: string }>;

/** A small file that runs as it is and shows the fields. JSON without comments, because editors complain about them. */
export function starterFile(schema: string | undefined): string {
  return `{${schemaLine(schema)}
  "x-help": "Run: cli workflow run hello NAME:you. List: cli workflow list. Check this file: cli workflow validate.",
  "env": { "NAME": "world" },
  "error": "echo 'That did not work'",
  "workflows": {
    "hello": {
      "description": "Greet NAME",
      "steps": [
        "echo \\"Hello, $NAME\\"",
        { "name": "shout", "if": "SHOUT", "run": "echo \\"HELLO, $NAME\\"" },
        { "workflow": "goodbye", "with": { "WHEN": "soon" } }
      ]
    },
    "goodbye": {
      "private": true,
      "steps": ["echo \\"See you $WHEN, $NAME\\""]
    }
  }
}
`;
}

/** The line of a file that names its schema, if there is one. */
export function schemaLine(schema: string | undefined): string {
  return schema === undefined ? '' : `\n  "$schema": ${JSON.stringify(schema)},`;
}

/**
 * npm scripts as workflows of the same names. As with npm, `pre<name>` and `post<name>` run before and after a script,
 * and commands of installed packages are in PATH. `leftOut` has a line for each script that cannot be converted.
 */
export function fromScripts(
  scripts: readonly Script[],
  schema: string | undefined,
): { text: string; leftOut: string[] } {
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
  const text = `{${schemaLine(schema)}
  "workflows": {
${workflows.join(',\n')}
  }
}
`;
  return { text, leftOut };
}
