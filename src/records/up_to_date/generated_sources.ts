import { relative, resolve } from 'node:path';
import type { CheckedStep } from '../../backend/checks/check_port.ts';
import { findFiles, matcherOf } from './find_files.ts';
import { patternsOf } from './step_state.ts';

/** The files that one step makes and another reads: existing ones, and names without wildcards. */
export async function generatedSources(maker: CheckedStep, reader: CheckedStep): Promise<readonly string[]> {
  const made = await patternsOf(maker, maker.generates);
  const named = made.flatMap(({ rest, base, excludes }) => (rest === null && !excludes ? base : []));
  const [sources, own] = [await patternsOf(reader, reader.sources), await patternsOf(reader, reader.generates)];
  const isSource = matcherOf(sources, own);
  const paths = new Set([...named, ...findFiles(made).paths.map((path) => resolve(path))]);
  return [...paths].filter(isSource).map((path) => relative('.', path));
}
