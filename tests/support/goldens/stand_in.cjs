#!/usr/bin/env node
// Replaces a program of a pipeline, such as `docker`: the target of a link with the name of the program.
//
// Next to the directory of the links, `calls.txt` receives a line for each call, and `answers.json` contains the answers.
// The first answer whose words start the call applies. In a list, the first element is for the first such call, and the
// last one for all that follow.
//
// Not an ES module, which takes 13 ms longer to start: the pipelines call stand-ins hundreds of times.
const { appendFileSync, existsSync, readFileSync, writeSync } = require('node:fs');
const { basename, dirname, join, relative } = require('node:path');

const [, path, ...args] = process.argv;
const home = join(dirname(path), '..');
const log = join(home, 'calls.txt');

const call = [basename(path), ...args];
// Members of a group call at the same time, so the log may exist but still be empty.
const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
const before = lines.filter((line) => line !== '').map(parsed);
appendFileSync(log, `${call[0]} ${JSON.stringify(args)} ${relative(join(home, 'work'), process.cwd()) || '.'}\n`);

const answer = JSON.parse(readFileSync(join(home, 'answers.json'), 'utf8')).find(({ call: words }) =>
  fits(words, call),
);
if (answer !== undefined) {
  const attempt = before.filter((earlier) => fits(answer.call, earlier)).length;
  setTimeout(() => give(answer, attempt), at(answer.delay_ms, attempt) ?? 0);
}

function give({ stdout, stderr, json, exit }, attempt) {
  writeSync(2, at(stderr, attempt) ?? '');
  writeSync(1, at(stdout, attempt) ?? (json === undefined ? '' : `${JSON.stringify(json)}\n`));
  process.exitCode = at(exit, attempt) ?? 0;
}

function fits(words, call) {
  return words.split(' ').every((word, index) => call[index] === word);
}

function at(given, attempt) {
  return Array.isArray(given) ? given[Math.min(attempt, given.length - 1)] : given;
}

function parsed(line) {
  const [, name, args] = /^(\S+) (\[.*\]) /.exec(line);
  return [name, ...JSON.parse(args)];
}
