import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommandLine } from '../../src/cli/command_line/quick_parser.ts';
import { sameCommand } from '../../src/cli/driver/flag_words.ts';

for (const [line, again] of [
  [['run', 'deploy', '1.2.0', 'TARGET:a b', '-q'], "cli run deploy 1.2.0 'TARGET:a b' --quiet"],
  [
    ['-f', 'ci.json', 'run', 'deploy', '--report', 'a.xml', '--report', 'b.html', '--format', 'json', '--', '-v'],
    'cli run deploy --file ci.json --report a.xml --report b.html -- -v',
  ],
  [['run', 'deploy', '--strict', '--only', 'tag', '--yes'], 'cli run deploy --only tag --yes --strict'],
  [['workflow', 'run', 'deploy', 'API_TOKEN:abc', 'A:1'], 'cli workflow run deploy …'],
] as const) {
  test(`the command that repeats a run is: ${again}`, async () => {
    const request = await readCommandLine(line);
    assert.ok(request.kind === 'command');
    assert.equal(sameCommand(request.options), again);
  });
}
