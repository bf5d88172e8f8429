import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { ROOT } from '../support/cli.ts';
import { argvOf, caseOf, casesOf, FIXTURES } from '../support/goldens/goldens.ts';
import { inProcess } from '../support/in_process.ts';
import { check, compile, schemaOf, SCHEMAS } from '../support/goldens/schemas.ts';

const Names = v.array(v.object({ name: v.string() }));

/** The concatenated documents of a golden file. */
function documentsIn(path: string): unknown[] {
  const text = readFileSync(path, 'utf8');
  return text.split(/^(?=[[{])/m).map((part): unknown => JSON.parse(part));
}

function isPreview(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'dry_run' in document;
}

const GOLDENS = {
  'result.json': 'result',
  'validate.json': 'validate',
  'report.json': 'report',
  'check.json': 'plan-check',
  'diff.json': 'diff',
};

for (const [golden, schema] of Object.entries(GOLDENS)) {
  describe(`every ${golden} of the fixtures`, () => {
    const [isValid, isDryRun] = [compile(schema), compile('dry-run')];
    const paths = readdirSync(FIXTURES).flatMap((group) => {
      const cases = readdirSync(join(FIXTURES, group)).map((name) => join(FIXTURES, group, name, golden));
      return cases.filter((path) => existsSync(path));
    });
    test(`fixtures contain ${golden}`, () => assert.notDeepEqual(paths, []));
    for (const path of paths) {
      test(`${path.slice(FIXTURES.length + 1)} matches schemas/${schema}.json`, () => {
        for (const document of documentsIn(path)) check(isPreview(document) ? isDryRun : isValid, document);
      });
    }
  });
}

describe('documents about each valid file of the fixtures', () => {
  const [list, dryRun] = [compile('list'), compile('dry-run')];
  const [explain, plan] = [compile('explain'), compile('plan')];
  const counts = new Map<string, readonly [all: number, refused: number]>();
  for (const group of ['plans', 'views', 'runs', 'pipelines', 'realistic', 'warnings']) {
    // The documents about this one have a hundred thousand steps.
    for (const name of casesOf(group).filter((each) => each !== 'too-many-operations')) {
      test(`the documents about ${group}/${name} match the schemas of list, dry-run, explain and plan`, async (t) => {
        const given = caseOf(group, name);
        const document = async (...words: string[]): Promise<unknown> => {
          const { code, stdout } = await inProcess(t, ['workflow', ...words, '--file', given.file], {
            cwd: given.directory,
          });
          const [command = ''] = words;
          const [all, refused] = counts.get(command) ?? [0, 0];
          counts.set(command, [all + 1, stdout === '' ? refused + 1 : refused]);
          // Some files are invalid, and some workflows cannot be run without values.
          assert.ok(stdout !== '' || code === 2, `${words.join(' ')} prints nothing, and exits with ${code}`);
          return stdout === '' ? undefined : JSON.parse(stdout);
        };
        const listed = await document('list', '--all');
        if (listed === undefined) return;
        check(list, listed);
        const hasArguments = existsSync(join(given.directory, 'argv.txt')) && group === 'plans';
        const lines = hasArguments ? [argvOf(given)] : v.parse(Names, listed).map((workflow) => [workflow.name]);
        // The first ones and the last one: the others of a file differ little.
        for (const line of [...lines.slice(0, 2), ...lines.slice(2).slice(-1)]) {
          const preview = await document('run', ...line, '--dry-run');
          if (preview !== undefined) check(dryRun, preview);
          const explained = await document('explain', ...line, '--format', 'json');
          if (explained !== undefined) check(explain, explained);
          const planned = await document('plan', ...line, '--format', 'json');
          if (planned !== undefined) check(plan, planned);
        }
      });
    }
  }

  test('four of five calls print a document', () => {
    assert.deepEqual([...counts.keys()], ['list', 'run', 'explain', 'plan']);
    for (const [command, [all, refused]] of counts) assert.ok(refused < all / 5, `${command}: ${refused} of ${all}`);
  });
});

describe('findings of each file of the fixtures', () => {
  const isValid = compile('findings');
  for (const group of ['invalid', 'warnings', 'realistic']) {
    for (const name of casesOf(group)) {
      test(`the findings of ${group}/${name} match schemas/findings.json`, async (t) => {
        const { directory: cwd, file } = caseOf(group, name);
        const { stdout } = await inProcess(t, ['validate', '--format', 'json', '-f', file], { cwd });
        check(isValid, JSON.parse(stdout));
      });
    }
  }
});

test('each schema is a draft 7 schema whose title names its command', () => {
  const names = readdirSync(SCHEMAS).map((file) => file.replace(/\.json$/, ''));
  for (const name of names) {
    const { $schema, title } = v.parse(v.object({ $schema: v.string(), title: v.string() }), schemaOf(name));
    assert.equal($schema, 'http://json-schema.org/draft-07/schema#');
    assert.match(title, /: .*(?:'cli |--report|--events)/);
  }
});

test('the reference lists every schema', () => {
  const reference = readFileSync(join(ROOT, 'docs/reference/documents.md'), 'utf8');
  const listed = [...reference.matchAll(/`schemas\/([\w-]+\.json)`/g)].map(([, name = '']) => name);
  assert.deepEqual(listed.toSorted(), readdirSync(SCHEMAS).toSorted());
});

test('a document with a field that a schema does not describe is rejected', () => {
  const isValid = compile('validate');
  assert.equal(isValid({ valid: true, errors: [] }), true);
  assert.equal(isValid({ valid: true, errors: [], more: 1 }), false);
  assert.equal(isValid({ valid: true, errors: [{ workflow: '', message: '', line: 1 }] }), false);
});
