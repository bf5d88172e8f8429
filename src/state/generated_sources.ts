import { relative, resolve } from 'node:path';
import type { CheckedStep } from '../backend/checks/check_port.ts';
import { findFiles, matcherOf } from './find_files.ts';
import { patternsOf } from './step_state.ts';

/** The files that one step makes and another reads: those that exist, and those that are named without wildcards. */
export function generatedSources(maker: CheckedStep, reader: CheckedStep): readonly string[] {
  const made = patternsOf(maker, maker.generates);
  const named = made.flatMap(({ rest, base, excludes }) => (rest === null && !excludes ? base : []));
  const isSource = matcherOf(patternsOf(reader, reader.sources), patternsOf(reader, reader.generates));
  const paths = new Set([...named, ...findFiles(made).paths.map((path) => resolve(path))]);
  return [...paths].filter(isSource).map((path) => relative('.', path));
}
