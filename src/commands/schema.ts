import { jsonSchema } from '../frontend/json_schema.ts';
import { printDocument } from './document.ts';
import { EXIT, type Io, type Options } from './io.ts';

/** `workflow schema`: the JSON Schema of workflow files, for editors. */
export function schema(io: Io, options: Options): number {
  return printDocument(io, jsonSchema(), options, EXIT.ok);
}
