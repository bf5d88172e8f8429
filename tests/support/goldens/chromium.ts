import type { TestContext } from 'node:test';
import { finish, temporaryDirectory } from '../cli.ts';
import { program } from '../needs.ts';

/** Runs headless Chromium with a page. Its directories of the system are those of the test. */
export async function chromium(t: TestContext, path: string, ...flags: readonly string[]): Promise<string> {
  const home = temporaryDirectory(t);
  const common = ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', `--user-data-dir=${home}`];
  const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home };
  const { stdout } = await finish(program('chromium'), [...common, ...flags, `file://${path}`], { cwd: home, env });
  return stdout;
}
