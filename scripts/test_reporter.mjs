// A brief test reporter: a dot per test, failures in full, a line per skipped test, and the totals. After a failure, it also
// prints the standard error of the tests.
// With TEST_REQUIRE_ALL=1, skipped tests are failures.
import { dot } from 'node:test/reporters';

export default async function* report(source) {
  const counts = { passed: 0, failed: 0 };
  const skipped = [];
  const printed = [];
  const start = performance.now();
  yield* dot(counted(source, counts, skipped, printed));
  yield '\n';
  if (counts.failed > 0) yield printed.join('');
  for (const { name, skip } of skipped) yield `skipped: ${name}: ${skip}\n`;
  const seconds = ((performance.now() - start) / 1000).toFixed();
  yield `${counts.passed} passed, ${counts.failed} failed, ${skipped.length} skipped, in ${seconds} s\n`;
  if (skipped.length > 0 && process.env.TEST_REQUIRE_ALL === '1') {
    yield 'TEST_REQUIRE_ALL is set, so the skipped tests are failures\n';
    process.exitCode = 1;
  }
}

async function* counted(source, counts, skipped, printed) {
  for await (const event of source) {
    const { type, data } = event;
    if (type === 'test:pass' && data.skip !== undefined) skipped.push(data);
    else if (type === 'test:pass' && data.details.type !== 'suite') counts.passed += 1;
    else if (type === 'test:fail' && data.details.type !== 'suite') counts.failed += 1;
    else if (type === 'test:stderr') printed.push(data.message);
    yield event;
  }
}
