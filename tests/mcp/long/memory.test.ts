/* The memory of a server that is asked a lot. What V8 has not collected yet does not count. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ROOT } from '../../support/cli.ts';
import { META, serveHere } from '../../support/mcp/served.ts';

/** The live memory of this process, in megabytes. */
function liveMemory(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / 1e6;
}

test('1,000 plans leave the memory of the server where the first 100 left it', async (t) => {
  const ask = serveHere(t, join(ROOT, 'examples/release.json'));
  const params = { name: 'plan_workflow', arguments: { workflow: 'release' }, _meta: META };
  const plan = async (count: number): Promise<number> => {
    for (let id = 0; id < count; id += 1) {
      const { result } = Object(await ask({ jsonrpc: '2.0', id, method: 'tools/call', params }));
      assert.equal(result.structuredContent.workflow, 'release');
    }
    return liveMemory();
  };
  const [first, last] = [await plan(100), await plan(900)];
  t.diagnostic(`${first.toFixed(1)} MB after 100, ${last.toFixed(1)} MB after 1,000`);
  // Optimised code is in it, too.
  assert.ok(last - first < 3, `${first} MB after 100, ${last} MB after 1,000`);
});
