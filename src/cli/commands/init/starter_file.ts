/** A small file that runs as it is and shows the fields. JSON without comments, because editors complain about them. */
export function starterFile(schema: string | undefined): string {
  return `{${schemaLine(schema)}
  "x-help": "Run: cli run hello NAME:you. List: cli list. Check this file: cli validate.",
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

/** Whether a text is a starter file that was not edited. */
export function isStarter(text: string): boolean {
  const [, schema] = /^\{\n {2}"\$schema": "([\w./-]+)",\n/.exec(text) ?? [];
  return text === starterFile(schema);
}

/** The line of a file that names its schema, if there is one. */
export function schemaLine(schema: string | undefined): string {
  return schema === undefined ? '' : `\n  "$schema": ${JSON.stringify(schema)},`;
}
