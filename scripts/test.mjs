// Runs the compiled tests, or the files named as arguments, on the installed Node.js.
import { runAllTests, runTests, testFiles } from './run_tests.mjs';

const named = process.argv.slice(2);
process.exitCode = named.length > 0 ? runTests(named) : runAllTests(testFiles('.test.js'));
