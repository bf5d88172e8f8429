import { jsonSchema } from '../../frontend/json_schema/json_schema.ts';
import { printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, type Io } from '../output/io.ts';

/** `workflow schema`: prints the JSON Schema of workflow files. */
export function schema(io: Io, options: Options): number {
  return printDocument(io, jsonSchema(), options, EXIT.ok);
}
