import type { Options } from '../../command_line/parse_command_line.ts';
import type { Io } from '../../output/io.ts';

/** The bundle of packages/mcp, which is beside the bundle of the tool. */
export declare function serve(
  surroundings: Readonly<{
    io: Io;
    options: Options;
    input: NodeJS.ReadableStream;
    output: NodeJS.WritableStream;
    exit: () => void;
    /** The time in milliseconds since 1970. */
    now?: () => number;
  }>,
): void;
