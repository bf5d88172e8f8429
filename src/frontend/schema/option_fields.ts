import * as v from 'valibot';
import type { FieldDocs } from './field_help.ts';
import { Command, Duration, noNul, notEmpty, ObjectValue, Question, rule, ScriptLine, whole } from './schema.ts';

/** How a resume treats a step that was running when the run was killed. */
const CRASH_CHOICES = ['ask', 'rerun', 'fail'] as const;

/** Whether a resume runs a finished step again, if a later step of its execution runs. */
const RESUME_CHOICES = ['keep', 'rerun'] as const;

/** The maximum number of attempts. */
export const Attempts = v.pipe(
  v.number(rule('a number of attempts')),
  v.check((count) => Number.isInteger(count) && count >= 2 && count <= 100, rule('a number of attempts')),
);

/** The fields that control how a step's command runs. */
export const OptionFields = v.object({
  outputs: v.optional(ObjectValue),
  retry: v.optional(v.union([Attempts, ObjectValue], rule('a retry'))),
  timeout: v.optional(Duration),
  allow_failure: v.optional(v.boolean(rule('a boolean'))),
  on_crash: v.optional(v.picklist(CRASH_CHOICES, rule('a crash choice'))),
  on_resume: v.optional(v.picklist(RESUME_CHOICES, rule('a resume choice'))),
  confirm: v.optional(v.union([Question, v.boolean()], rule('a question'))),
  background: v.optional(v.boolean(rule('a boolean'))),
  ready: v.optional(ObjectValue),
});

export const OPTION_FIELDS: readonly string[] = Object.keys(OptionFields.entries);

/** The fields that a step in the background cannot have, although other commands can. */
export const ENDING_FIELDS: readonly string[] = [
  'outputs',
  'generates',
  'sources',
  'retry',
  'allow_failure',
  'on_crash',
  'on_resume',
];

export const OPTION_DOCS: FieldDocs<typeof OptionFields> = {
  outputs: {
    description:
      'Outputs: later commands use ${steps.NAME.KEY}. A value is a JSON path (an RFC 9535 singular query) into the standard output of this step, which must then be one JSON text. The word `text` stands for the whole standard output without the line breaks at its end. The step needs a `name`.',
    examples: [{ BUILD_ID: '$.data[0].id' }, { VERSION: 'text' }],
  },
  retry: {
    description: 'The total number of attempts (2 to 100), or an object with this number and the delay.',
    examples: [3, { max_attempts: 3, delay: '10s' }],
    defaultSnippets: [
      {
        label: 'three attempts',
        description: 'Three attempts, ten seconds apart',
        body: { max_attempts: '^${1:3}', delay: '${2:10s}' },
      },
    ],
  },
  timeout: {
    description:
      'The time limit of each attempt, at most 24h. When it expires, every process of the attempt is terminated.',
    examples: ['30s', '1h30m'],
  },
  allow_failure: { description: 'Whether the run continues if this step fails.', examples: [true], default: false },
  on_crash: {
    description:
      'How `cli resume` treats this step if it was running when the run was killed. `ask` asks, `rerun` runs it again, `fail` counts it as failed.',
    examples: ['rerun', 'fail'],
    default: 'ask',
  },
  on_resume: {
    description:
      'How `cli resume` treats this step after it has finished. `rerun` runs it again before later steps of its workflow that run, for a set-up that `finally` undoes. `keep` also says that the step needs no repetition after `finally`.',
    examples: ['rerun'],
    default: 'keep',
  },
  confirm: {
    description:
      'A question to ask at the terminal before the step runs (in CI: `--yes`), with `${vars.NAME}` and `${steps.NAME.KEY}`. `true` asks about the name of the step. Any answer other than `y` or `yes` ends the run.',
    examples: ['Publish to everyone?', true],
  },
  background: {
    description:
      'Whether the step runs in the background: until the last step of its workflow has ended, or the run has failed. It is stopped before the hooks. If it ends earlier, the run fails.',
    examples: [true],
    default: false,
  },
  ready: {
    description:
      'When a step in the background is ready, and the next one starts: connections to a `port` of this machine are accepted, a `url` answers with a status below 500, a text occurs in a line of its `output`, or the command `run` exits with 0. Without it: at once. `timeout` limits the time until then (60 s without it).',
    examples: [{ port: 8000 }, { url: 'http://localhost:8000/health' }, { output: 'listening' }, { run: 'pg_isready' }],
  },
};

/** Whether the output of a member or of a step in the background is printed line by line, or as a whole. */
export type OutputMode = 'lines' | 'grouped';

/**
 * The options and outputs of a command. Steps without any of these fields share one object. `timeout` is the limit of
 * each attempt, in milliseconds. `confirm` is a question to ask before the step runs.
 */
export type StepOptions = Readonly<{
  outputs: readonly Output[];
  retry: Retry | null;
  timeout: number | null;
  allowFailure: boolean;
  onCrash: CrashChoice;
  /** Absent without the field, so that plans without it stay the same. */
  onResume?: 'keep' | 'rerun';
  confirm: string | null;
  /** The mode of the output of a step in the background; absent for other steps. */
  background?: OutputMode;
  /** Absent for a step that is ready as soon as it has started. */
  ready?: Readiness;
}>;

/**
 * The condition under which a step in the background is ready: a port accepts connections, a URL answers, the output has
 * a text, or a command succeeds. `text` is as written.
 */
export type Readiness = Readonly<{ kind: 'port' | 'url' | 'output' | 'run'; text: string }>;

/** The options of steps that set none of the option fields. All such steps share this object. */
export const DEFAULT_OPTIONS: StepOptions = {
  outputs: [],
  retry: null,
  timeout: null,
  allowFailure: false,
  onCrash: 'ask',
  confirm: null,
};

/** How a resume treats a step that was running when the run was killed. */
export type CrashChoice = 'ask' | 'rerun' | 'fail';

/** The segments of a path from the root: member names, and element indexes (negative indexes count from the end). */
export type JsonPath = readonly (string | number)[];

/** The path to a value in standard output, or `text` for all of it. */
export type OutputSource = JsonPath | 'text';

/** The name of an output, and its source. */
export type Output = readonly [variable: string, source: OutputSource];

/** The maximum number of attempts, including the first, and the delay between attempts in milliseconds. */
export type Retry = Readonly<{ maxAttempts: number; delay: number }>;

/** A port, or a text with references. */
const Port = v.union(
  [
    v.pipe(
      v.number(),
      v.check((port) => isPort(String(port)), rule('a port')),
    ),
    v.pipe(
      v.string(),
      v.check((text) => text.includes('${') || isPort(text), rule('a port')),
    ),
  ],
  rule('a port'),
);

/** Whether a text is the number of a port. */
function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

const Url = v.pipe(
  v.string(rule('a url')),
  v.check((text) => text.includes('${') || /^https?:\/\/./.test(text), rule('a url')),
  noNul,
  whole,
);

export const ReadyFields = v.object({
  port: v.optional(Port),
  url: v.optional(Url),
  output: v.optional(v.pipe(ScriptLine, notEmpty)),
  run: v.optional(Command),
});

export const RetryFields = v.object({ max_attempts: Attempts, delay: v.optional(Duration) });
