// Loaded before each test file. Sets a time limit for every test, so that a hanging test fails under its own name.
// `--test-timeout` of Node.js 20 limits a whole file and names only the file.
const nodeTest = require('node:test');

/** The time limit of a test without its own, in milliseconds. TEST_TIMEOUT overrides it. */
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
