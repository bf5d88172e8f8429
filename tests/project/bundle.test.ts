import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish, temporaryDirectory, ROOT } from '../support/cli.ts';

test('a bundle with two lazily loaded parts of the same name is rejected', async (t) => {
  const cwd = temporaryDirectory(t, {
    'src/main.ts': "void import('./one/part.ts');\nvoid import('./other/part.ts');\n",
    'src/one/part.ts': 'export const one = 1;\n',
    'src/other/part.ts': 'export const other = 2;\n',
  });
  const script = `import { bundle } from '${join(ROOT, 'scripts/bundle.mjs')}';
    await bundle('dist').catch(({ errors }) => console.log(errors.map(({ text }) => text).join('\\n')));`;
  const { stdout } = await finish(process.execPath, ['--input-type=module', '--eval', script], { cwd });
  assert.equal(stdout, 'src/one/part.ts and src/other/part.ts would both be part.cjs: rename one\n');
});
