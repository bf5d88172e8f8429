import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import * as v from 'valibot';
import { ROOT } from '../cli.ts';

const Event = v.looseObject({ event: v.string() });
export type Event = v.InferOutput<typeof Event>;

/** The schema of events, which here accepts only the fields that it describes. */
function compileSchema(): (event: Event) => void {
  const Schema = v.looseObject({ oneOf: v.array(v.looseObject({})) });
  const schema = v.parse(Schema, JSON.parse(readFileSync(join(ROOT, 'dist/schemas/events.json'), 'utf8')));
  const oneOf = schema.oneOf.map((each) => ({ ...each, additionalProperties: false }));
  const isValid = new Ajv({ allErrors: true, strictTypes: false, strictRequired: false }).compile({ ...schema, oneOf });
  return (event) => assert.ok(isValid(event), `${JSON.stringify(event)}\n${JSON.stringify(isValid.errors)}`);
}

const checkSchema = compileSchema();

/** The events in a file, each of which matches the schema. */
export function eventsIn(cwd: string, file = 'events'): Event[] {
  const text = readFileSync(join(cwd, file), 'utf8');
  assert.ok(text.endsWith('\n'));
  const events = text
    .slice(0, -1)
    .split('\n')
    .map((line) => v.parse(Event, JSON.parse(line)));
  for (const event of events) checkSchema(event);
  return events;
}
