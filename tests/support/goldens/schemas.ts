import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { ROOT } from '../cli.ts';

/** The directory of the published schemas. */
export const SCHEMAS = join(ROOT, 'dist/schemas');

/** A published schema that accepts only the fields that it describes. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]));
  const isOpen = 'properties' in value && !('additionalProperties' in value) && value.properties !== null;
  return isOpen && 'type' in value ? { ...fields, additionalProperties: false } : fields;
}

/** A published schema. */
export function schemaOf(name: string): unknown {
  return JSON.parse(readFileSync(join(SCHEMAS, `${name}.json`), 'utf8'));
}

const compiled = new Map<string, ValidateFunction>();

/** The validation of a document by a schema that accepts only the described fields. */
export function compile(name: string): ValidateFunction {
  const known = compiled.get(name) ?? compileSchema(name);
  compiled.set(name, known);
  return known;
}

function compileSchema(name: string): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, strict: true, strictRequired: false, strictTypes: false });
  const schema = closed(schemaOf(name));
  assert.ok(typeof schema === 'object' && schema !== null);
  return ajv.compile(schema);
}

export function check(isValid: ValidateFunction, document: unknown): void {
  assert.ok(isValid(document), JSON.stringify(isValid.errors));
}
