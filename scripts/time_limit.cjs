// Loaded before each test file: gives every test a time limit, so that a test that hangs fails under its own name.
// `--test-timeout` of Node.js 20 limits a whole file instead, and names only that.
const nodeTest = require('node:test');

/** The limit of a test without one of its own, in milliseconds; TEST_TIMEOUT changes it. */
const LIMIT = Number(process.env.TEST_TIMEOUT ?? 120_000);

// An `import` of node:test reads these properties when it is first evaluated, which is after this file.
for (const name of ['test', 'it']) {
  const original = nodeTest[name];
  const limited = (...args) => original(...withLimit(args));
  nodeTest[name] = Object.assign(limited, original);
}

/** The arguments of a test: a name, options and a function, each of them optional. */
function withLimit(args) {
  return [
    ...args.filter((arg) => typeof arg === 'string'),
    { timeout: LIMIT, ...args.find((arg) => typeof arg === 'object') },
    ...args.filter((arg) => typeof arg === 'function'),
  ];
}
