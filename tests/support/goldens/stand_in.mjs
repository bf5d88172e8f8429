#!/usr/bin/env node
// Replaces a program of a pipeline, such as `docker`: the target of a link with the name of the program.
//
// Next to the directory of the links, `calls.txt` receives a line for each call, and `answers.json` contains the answers.
// The first answer whose words start the call applies. In a list, the first element is for the first such call, and the
// last one for all that follow.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

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
  await delay(at(answer.delay_ms, attempt) ?? 0);
  process.stderr.write(at(answer.stderr, attempt) ?? '');
  const json = answer.json === undefined ? '' : `${JSON.stringify(answer.json)}\n`;
  process.stdout.write(at(answer.stdout, attempt) ?? json);
  process.exitCode = at(answer.exit, attempt) ?? 0;
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
