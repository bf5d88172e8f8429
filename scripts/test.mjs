// Runs the compiled tests, or the files named as arguments, on the installed Node.js.
import { runTests, testFiles } from './run_tests.mjs';

const named = process.argv.slice(2);
process.exitCode = runTests(named.length > 0 ? named : testFiles('.test.js'));
