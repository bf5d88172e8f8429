import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Diagnostic } from '../../src/frontend/diagnostics/diagnostic.ts';
import type { Rule } from '../../src/frontend/schema/rules.ts';
import { toolInProcess } from '../support/in_process.ts';

/* A file for each kind of diagnostic, with a pattern of its message. « and » enclose the range, and are removed. */
type Marked = readonly [file: string, words: RegExp];

/** Kinds that need several files, which golden files cover. */
type OfSeveralFiles = 'circular include' | 'too many files' | 'ignored hook';

/** Strings of numbers, as the items of an array. */
function numbers(count: number): string {
  return Array.from({ length: count }, (_, n) => `"${n}"`).join(', ');
}

const KINDS: Readonly<Record<Exclude<Diagnostic['code'], OfSeveralFiles>, Marked>> = {
  'unreadable include': [
    '{ "include": { "a": «"missing.json"» }, "workflows": {} }',
    /cannot read 'missing.json': it does not exist/,
  ],
  'included name': [
    '{ "workflows": { «"a:b"»: { "steps": [] } }, "include": { "a": "/dev/null" } }',
    /'a:b' cannot be the name of a workflow/,
  ],
  syntax: ['{ "workflows": {} «]» }', /error: expected ',' or a closing bracket/],
  'broken rule': ['{ "workflows": { "ci": { "steps": [], "private": «"yes"» } } }', /'private' must be true or false/],
  'missing field': ['{ "workflows": { "ci": «{» "description": "x" } } }', /missing 'steps' field/],
  'unknown field': ['{ "workflows": { "ci": { "steps": [{ "run": "make", «"fi"»: "A" }] } } }', /unknown field 'fi'/],
  'duplicate key': ['{ "workflows": { "ci": { "steps": [] }, «"ci"»: { "steps": [] } } }', /duplicate key 'ci'/],
  'empty step': [
    '{ "workflows": { "ci": { "steps": ["a", «{» "name": "x" }] } } }',
    /missing 'run' or 'workflow' field/,
  ],
  'ambiguous step': [
    '{ "workflows": { "ci": { "steps": [«{ "run": "a", "workflow": "ci" }»] } } }',
    /mutually exclusive/,
  ],
  'unknown workflow': ['{ "workflows": { "ci": { "steps": [{ "workflow": «"no"» }] } } }', /unknown workflow 'no'/],
  'bad alias': [
    '{ "workflows": { "ci": { "aliases": ["c", «"ci"»], "steps": [] } } }',
    /'aliases': 'ci' is already the name of a workflow/,
  ],
  'bad pattern': [
    '{ "workflows": { "ci": { "steps": [{ "run": "make", "sources": [«"!a"»] }] } } }',
    /'sources\[0\]' excludes files before a pattern includes any/,
  ],
  cycle: ['{ "workflows": { "ci": { "steps": ["a", { "workflow": «"ci"» }] } } }', /circular dependency detected/],
  'too large': [
    `{ "workflows": { «"w0"»: { "steps": [${'{ "workflow": "w1" }, '.repeat(400)}] },
      "w1": { "steps": [${'"true", '.repeat(300)}] } } }`,
    /calls expand to 120400 operations/,
  ],
  'too much text': [
    `{ "workflows": { "ci": { "steps": ["a", «{» "workflow": "b", "matrix": { "N": [${numbers(700)}] } }] },
      "b": { "env": { "A": "${'x'.repeat(100_000)}" }, "steps": [] } } }`,
    /names and values expand to more than 67108864 characters/,
  ],
  'unresolved variable': [
    '{ "workflows": { "ci": { "steps": [{ "name": "a", "run": "a", "outputs": { "X": "$.x" } }, ' +
      '{ "workflow": "b", "with": { "Y": "${steps.a.X}" } }] }, "b": { "private": true, "env": { "Z": «"${vars.Y}"» }, "steps": ["b $Z"] } } }',
    /'env.Z': \$\{vars.Y\}: the value comes from an output/,
  ],
  'condition expands': ['{ "workflows": { "w": { "steps": [{ "run": "a", "if": «"$A"» }] } } }', /'if' runs the value/],
  'bad matrix': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { "A": «[]» } }] } } }',
    /'matrix.A' needs at least one value/,
  ],
  'bad condition': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "if": «"{{ .A }}"» }] } } }',
    /'if' contains \{\{ … \}\}, which is not shell syntax/,
  ],
  'bare comparison': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "if": «"A == b"» }] } } }',
    /write \[ "\$A" = "value" \]/,
  ],
  'variable as command': [
    '{ "env": { "UP": "" }, "workflows": { "w": { "steps": [«"UP x"»] } } }',
    /runs UP as a command/,
  ],
  'value not expanded': ['{ "env": { "A": "x", "B": «"a/$A"» }, "workflows": {} }', /'env.B' contains a \$NAME/],
  'field as variable': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "with": { «"if"»: "" } }] } } }',
    /'with.if' is a variable like any other; the field 'if' stands beside 'with', not in it/,
  ],
  'ignored field': ['{ «"x-env"»: { }, "workflows": {} }', /'x-env' is ignored/],
  'foreign reference': ['{ "workflows": { "w": { "steps": ["\\"é «${{ env.A }}»\\""] } } }', /write \$A/],
  'undefined variable': [
    '{ "workflows": { "ci": { "steps": [{ "name": "$A", "run": "a «$A»" }, "b $A"] } } }',
    /\$A is used/,
  ],
  'newer bash': [
    '{ "workflows": { "ci": { "steps": [{ "run": ["a", "echo \\"«${a^^}»\\""] }] } } }',
    /bash 3.2, the bash of macOS, does not have \$\{a\^\^\}; write/,
  ],
  'constant condition': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "with": { "A": "" }, "if": «"A"» }] } } }',
    /'if' is never true: 'with.A' is empty/,
  ],
  'negative value': [
    '{ "env": { "A": «"false"» }, "workflows": { "ci": { "steps": [{ "run": "a", "if": "A" }] } } }',
    /'env.A' has a false value, which/,
  ],
  'beside dotenv': [
    '{ "dotenv": ".env.${vars.A}", "env": { "A": «"x"» }, "workflows": { "ci": { "steps": ["a"] } } }',
    /'env.A' does not choose the file in 'dotenv'/,
  ],
  overridden: [
    '{ "env": { "A": «"x"» }, "workflows": { "ci": { "env": { "A": "y" }, "steps": ["a"] } } }',
    /'env.A' has no effect/,
  ],
  'misplaced field': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", «"outputs"»: { "A": "$" } }] } } }',
    /'outputs' requires the step to have a 'name'/,
  ],
  'bad input': [
    '{ "workflows": { "ci": { "inputs": { «"A"»: { "required": true, "default": "x" } }, "steps": [] } } }',
    /'inputs.A' has both 'required' and 'default'/,
  ],
  'bad path': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "name": "n", "outputs": { "A": «"$.a[*]"» } }] } } }',
    /'outputs.A' is not a valid JSON path: selects more than one value.* \(at character 5\)/,
  ],
  'bad reference': [
    '{ "workflows": { "ci": { "steps": [{ "run": "echo $((«${steps.a.B}»))" }] } } }',
    /'run': \$\{steps\.a\.B\} is in an arithmetic context/,
  ],
  'unresolved reference': [
    '{ "workflows": { "ci": { "steps": ["echo «${steps.a.B}»"] } } }',
    /\$\{steps\.a\.B\}: in a run of 'ci', no earlier step has this name/,
  ],
  'unknown secret': [
    '{ "secrets": { "TOKEN": { "command": ["a"] } }, "workflows": { "ci": { "steps": [{ "run": "a", "secrets": ["TOKEN", «"TOKEM"»] }] } } }',
    /'secrets': unknown secret 'TOKEM'; did you mean 'TOKEN'\?/,
  ],
  'unlisted secret': [
    `{ "secrets": { "TOKEN": { "command": ["a"] } }, "finally": { "run": "a", "secrets": ["TOKEN"] },
      "workflows": { "ci": { "steps": ["echo '$TOKEN' «$TOKEN»"] } } }`,
    /the command uses the secret \$TOKEN without listing it; add "secrets": \["TOKEN"\]/,
  ],
  'secret in condition': [
    '{ "secrets": { "TOKEN": { "command": ["a"] } }, "workflows": { "ci": { "steps": [{ "run": "a", "secrets": ["TOKEN"], "if": «"TOKEN"» }] } } }',
    /'if' uses the secret \$TOKEN, and conditions get no secrets/,
  ],
  'set secret': [
    '{ "secrets": { "TOKEN": { "command": ["a"] } }, "workflows": { "ci": { "steps": [{ "run": "a", "secrets": ["TOKEN"], "with": { "TOKEN": «"x"» } }] } } }',
    /'TOKEN' is a secret of the file, and cannot be set here/,
  ],
  'unused secret': [
    '{ "secrets": { «"TOKEN"»: { "command": ["a"] } }, "workflows": { "ci": { "steps": ["a"] } } }',
    /no command lists the secret 'TOKEN'/,
  ],
  'unreachable workflow': [
    '{ "workflows": { "ci": { "steps": [] }, «"no"»: { "private": true, "steps": [] } } }',
    /workflow 'no': never used: it is private, and/,
  ],
};

/** Names of variables that are probably meant as fields, beside names that are not. */
const AS_VARIABLES: Readonly<Record<string, Marked>> = {
  'exclude in a matrix': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { "OS": ["x"], «"exclude"»: ["y"] } }] } } }',
    /'matrix.exclude' is a variable like any other; to leave combinations out, write a condition beside 'matrix', such as "if": "\[ \\"\$NAME\\" != value \]"$/,
  ],
  'include in a matrix': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { "OS": ["x"], «"include"»: ["y"] } }] } } }',
    /'matrix.include' is a variable like any other; to leave combinations out,/,
  ],
  'fail_fast in with': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "with": { "output": "", «"fail_fast"»: "x" } }] } } }',
    /'with.fail_fast' is a variable like any other; the field 'fail_fast' stands beside 'with', not in it$/,
  ],
  'fail_fast in a matrix': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "matrix": { «"fail_fast"»: ["x"] } }] } } }',
    /the field 'fail_fast' stands beside 'matrix', not in it$/,
  ],
  'a field of another tool in with': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "with": { "include": "", «"continue_on_error"»: "x" } }] } } }',
    /'with.continue_on_error' is a variable like any other; the field 'allow_failure' stands beside 'with', not in it$/,
  ],
};

const RULES: Readonly<Record<Rule, Marked>> = {
  'an include': ['{ "include": { "a": «5» }, "workflows": {} }', /'include.a' must be the path of a file/],
  'a lock': [
    '{ "workflows": { "ci": { "lock": «false», "steps": [] } } }',
    /'lock' must be the name of a lock such as "deploy", or true, found a boolean/,
  ],
  'a retry': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "retry": «"3"» }] } } }',
    /'retry' must be a number of attempts such as 3, or an object, found a string/,
  ],
  'a question': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "confirm": «1» }] } } }',
    /'confirm' must be a question such as "Deploy to production\?", or true, found a number/,
  ],
  'no colon': ['{ "include": { «"a:b"»: "x" }, "workflows": {} }', /'a:b' in 'include' must not contain a colon/],
  paths: ['{ "dotenv": «1», "workflows": {} }', /'dotenv' must be a path/],
  'an object': ['{ "workflows": «[1, [2]]» }', /'workflows' must be an object, found an array/],
  'an array': ['{ "workflows": { "ci": { "steps": «"a"» } } }', /'steps' must be an array, found a string/],
  'a string': ['{ "env": { "A": «12.50» }, "workflows": {} }', /'env.A' must be a string, found a number/],
  'a name': ['{ "default": «1», "workflows": {} }', /'default' must be a name \(a string\), found a number/],
  'a boolean': ['{ "workflows": { "ci": { "steps": [], "private": «null» } } }', /'private' must be true or false/],
  'a step': ['{ "workflows": { "ci": { "steps": ["a", «true»] } } }', /step 2: must be a command/],
  'a string or boolean': [
    '{ "workflows": { "ci": { "inputs": { "A": { "default": «1» } }, "steps": [] } } }',
    /'inputs.A.default' must be a string, true or false, found a number/,
  ],
  'an input type': [
    '{ "workflows": { "ci": { "inputs": { "A": { "type": «"number"» } }, "steps": [] } } }',
    /'inputs.A.type' must be "string", "boolean" or "choice"/,
  ],
  'a crash choice': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "on_crash": «true» }] } } }',
    /'on_crash' must be "ask", "rerun" or "fail"/,
  ],
  'a resume choice': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "on_resume": «true» }] } } }',
    /'on_resume' must be "keep" or "rerun"/,
  ],
  'an agent policy': ['{ "agents": «"never"», "workflows": {} }', /'agents' must be "allow", "ask" or "deny"/],
  'a hook': [
    '{ "finally": «7», "workflows": {} }',
    /'finally' must be a command \(a string or an array of strings\) or an object, found a number/,
  ],
  'a command': [
    '{ "finally": { "run": «7» }, "workflows": {} }',
    /'finally.run' must be a string or an array of strings, found a number/,
  ],
  'a JSON path': ['{ "secrets": { "A": { "command": ["a"], "value": «1» } }, "workflows": {} }', /a JSON path/],
  'one line': [
    '{ "workflows": { "ci": { "steps": [{ "run": ["a", «"b\\nc"»] }] } } }',
    /'run\[1\]' must not contain line breaks/,
  ],
  'not empty': ['{ "workflows": { «""»: { "steps": [] } } }', /'' in 'workflows' must not be empty/],
  'not blank': ['{ "workflows": { "ci": { "steps": [«" \\t"»] } } }', /'run' must not be blank/],
  'no NUL': ['{ "error": «"\\u0000"», "workflows": {} }', /'error' must not contain a NUL character/],
  'no control characters': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "name": «"a\\nb"» }] } } }',
    /'name' must not contain control characters/,
  ],
  'whole characters': ['{ "after_all": «"\\ud83d"», "workflows": {} }', /'after_all' must be valid Unicode/],
  'a variable name': ['{ "env": { «"A-B"»: "x" }, "workflows": {} }', /'A-B' in 'env' is not a valid variable name/],
  'a duration': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "timeout": «"1 h"» }] } } }',
    /'timeout' must be a duration such as 500ms/,
  ],
  'a number of attempts': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "retry": { "max_attempts": «101», "delay": "1s" } }] } } }',
    /'retry.max_attempts' must be a whole number from 2 to 100/,
  ],
  'a number of members': [
    '{ "workflows": { "ci": { "steps": [{ "parallel": [], "max_parallel": «0» }] } } }',
    /'max_parallel' must be a whole number from 1 to 1000/,
  ],
  'an output mode': [
    '{ "workflows": { "ci": { "steps": [{ "parallel": [], "output": «"line"» }] } } }',
    /'output' must be "lines" or "grouped"/,
  ],
  'a port': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "background": true, "ready": { "port": «65536» } }] } } }',
    /'ready.port' must be a port from 1 to 65535, or a text/,
  ],
  'a url': [
    '{ "workflows": { "ci": { "steps": [{ "run": "a", "background": true, "ready": { "url": «"ftp:x"» } }] } } }',
    /'ready.url' must begin with http/,
  ],
  'no exit code': [
    '{ "workflows": { "ci": { "steps": [{ "name": "a", "run": "a", "allow_failure": true, "outputs": { «"exit_code"»: "text" } }] } } }',
    /'exit_code' in 'outputs' is the exit code of a step with "allow_failure", which no output can replace: choose another name/,
  ],
  'no reserved variable': ['{ "env": { «"BASH_ENV"»: "x" }, "workflows": {} }', /'BASH_ENV' in 'env' cannot be set/],
};

const STARTS = ['', '// größe 大 😀\n', '\r\n/* two\r\nlines */\t', '\r\t\r'];

for (const [title, cases] of [
  ['of each kind of diagnostic', KINDS],
  ['of variables with the names of fields', AS_VARIABLES],
  ['of each rule that a value or key can break', RULES],
] as const) {
  describe(`positions ${title}`, () => {
    for (const [name, [file, words]] of Object.entries(cases)) {
      test(`the line and column of '${name}' are exact`, async (t) => {
        for (const start of STARTS) {
          const marked = `${start}${file}`;
          const before = marked.slice(0, marked.indexOf('«')).split(/\r\n|\r|\n/);
          const place = `${before.length}:${(before.at(-1) ?? '').length + 1}`;
          const length = marked.indexOf('»') - marked.indexOf('«') - 1;
          const input = marked.replace(/[«»]/g, '');
          const { stderr } = await toolInProcess(t)(['workflow', 'validate', '--portable', '--file', '-'], { input });
          const [heading = '', , marks = ''] = stderr.split('\n');
          assert.match(heading, new RegExp(`^<stdin>:${place}: (?:error|warning): `));
          assert.match(heading, words);
          // If the line may be shown, the whole range is marked.
          if (marks.includes('^')) assert.equal(/\^+/.exec(marks)?.[0].length, length, stderr);
        }
      });
    }
  });
}
