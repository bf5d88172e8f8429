// Runs the compiled tests (`slow`: those of `npm run test:slow`), or the files named as arguments, on the installed Node.js.
import { runAllTests, runTests, testFiles } from './run_tests.mjs';

const named = process.argv.slice(2);
const kind = named.length === 0 ? 'test' : named[0];
process.exitCode = kind === 'test' || kind === 'slow' ? runAllTests(testFiles(`.${kind}.js`)) : runTests(named);
