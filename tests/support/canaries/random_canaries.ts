import type { Random } from '../random/random.ts';

/** Part of every line of every secret, and of nothing else. */
export const MARK = 'Zq9Canary';

/** Part of every line that a command prints on purpose. */
export const SHOWN = 'SHOWN ';

/** A random workflow file with secrets, the files of its programs, and the variables that already have a secret. */
export type CanaryCase = Readonly<{
  file: object;
  files: Readonly<Record<string, string>>;
  given: Readonly<Record<string, string>>;
}>;

const NAMES = ['a', 'a b', '-x', 'ž✓', '::error::', '"q"', '__proto__', '${', '<b>'];

/** A command fails if it has a secret that it does not list: `leak` is then a file. */
const CHECK = 'if env | grep -q "Zq9[C]anary"; then : >leak; fi';

/** What commands with secrets do, and what all commands do. */
const WITH_SECRETS = [
  'test -n "$NAME"',
  'env | sort | cksum',
  'bash -c "sleep 0.01; true"',
  'show',
  'show; test -e fixed',
];
const PLAIN = ['true', 'sleep 0.02', 'echo plain', 'true'];
const FAILING = ['test -e fixed', 'test -e fixed', 'echo text >&2; test -e fixed', 'exit 3'];

/** Creates files in which the workflow `ci` has steps, groups, calls, conditions and hooks, some of which list secrets. */
export class CanaryFiles {
  readonly #random: Random;
  #names: readonly string[] = [];
  #steps = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  create(): CanaryCase {
    const random = this.#random;
    this.#names = ['S0', 'S1', 'S2', 'S3'].slice(0, 1 + random.below(4));
    const values = this.#names.map((name) => [name, this.#value(name)] as const);
    const providers = values.map(([name, value]) => [name, this.#provider(name, value)] as const);
    const given = values.filter(() => random.chance(0.3));
    return {
      file: {
        secrets: Object.fromEntries(providers.map(([name, { secret }]) => [name, secret])),
        env: { STAGE: 'dev' },
        ...this.#hooks(['before_all', 'after_all', 'error', 'finally']),
        workflows: {
          ci: { ...this.#hooks(['error', 'finally']), steps: this.#items(2 + random.below(3), true) },
          sub: { private: true, ...this.#hooks(['error', 'finally']), steps: this.#items(1 + random.below(2), false) },
        },
      },
      files: Object.fromEntries(providers.map(([name, { text }]) => [`values/${name}`, text])),
      given: Object.fromEntries(given),
    };
  }

  #value(name: string): string {
    const one = `${MARK}-${name}-${this.#random.below(1e6)}`;
    const many = `${one}\n${MARK} of line 2\n\n  ${MARK} & <3>`;
    return this.#random.pick([
      one,
      one,
      `"${one}" & <b> \\ $HOME 'q'`,
      many,
      `${one}${'x'.repeat(5000)}`,
      `ž ${one} ✓`,
    ]);
  }

  #provider(name: string, value: string): Readonly<{ secret: object; text: string }> {
    const path = `values/${name}`;
    const plain = [
      { command: ['cat', path] },
      bash(`cat ${path}; sleep 0.02`),
      bash(`test '\${vars.STAGE}' = dev; cat ${path}`),
      bash(`cat ${path}; sleep 1 >/dev/null 2>&1 &`),
    ];
    const failing = [bash(`cat ${path}; test -e fixed`), bash(`cat ${path}; printf '\\0'`)];
    if (this.#random.chance(0.2)) {
      return { secret: { command: ['cat', path], value: '$.a[0]' }, text: JSON.stringify({ a: [value], b: value }) };
    }
    return { secret: this.#random.pick(this.#random.chance(0.15) ? failing : plain), text: `${value}\n` };
  }

  #hooks(names: readonly string[]): object {
    return Object.fromEntries(names.flatMap((name) => (this.#random.chance(0.4) ? [[name, this.#command()]] : [])));
  }

  /** The fields `run` and `secrets` of a step or hook. A process of it can be told from others by the names after `asks`. */
  #command(): Readonly<{ run: string; secrets?: readonly string[] }> {
    const random = this.#random;
    const plain = random.pick(random.chance(0.8) ? PLAIN : FAILING);
    const listed = random.chance(0.5) ? this.#names.filter(() => random.chance(0.5)) : [];
    const [first] = listed;
    if (first === undefined) return { run: `${CHECK}; ${plain}` };
    const show = `printf '%s\\n' "$${first}" | sed 's/^/${SHOWN}/'`;
    const what = random.pick(WITH_SECRETS).replace('NAME', first).replace('show', show);
    return { run: `${asks(listed)}; ${plain}; ${what}`, secrets: listed };
  }

  #items(count: number, mayCall: boolean): readonly object[] {
    return Array.from({ length: count }, () => this.#item(mayCall)).flat();
  }

  #item(mayCall: boolean): readonly object[] {
    const random = this.#random;
    if (mayCall && random.chance(0.2)) return [{ workflow: 'sub', ...this.#condition() }];
    if (mayCall && random.chance(0.25)) {
      const parallel = Array.from({ length: 1 + random.below(3) }, () => {
        return random.chance(0.2) ? { workflow: 'sub', name: this.#name() } : this.#step();
      });
      return [
        { parallel, name: this.#name(), ...(random.chance(0.4) ? { fail_fast: true } : {}), ...this.#condition() },
      ];
    }
    return random.chance(0.25) ? this.#output() : [this.#step()];
  }

  #step(): object {
    const random = this.#random;
    return {
      name: this.#name(),
      ...this.#command(),
      ...this.#condition(),
      ...(random.chance(0.2) ? { retry: { max_attempts: 2, delay: '1ms' } } : {}),
      ...(random.chance(0.3) ? { allow_failure: true } : {}),
      ...(random.chance(0.2) ? { timeout: random.pick(['10s', '30ms']) } : {}),
      ...(random.chance(0.1) ? { matrix: { M: ['1', '2'] } } : {}),
    };
  }

  /** A step whose output contains a secret, and one that refers to it. */
  #output(): readonly object[] {
    const [from, to] = [this.#name(), this.#name()];
    const name = this.#random.pick(this.#names);
    const print = `printf '%s\\n' "$${name}" | sed 's/^/${SHOWN}/'`;
    const give = { name: from, run: `${asks([name])}; ${print}`, secrets: [name], outputs: { TEXT: 'text' } };
    const reference = `\${steps.${from}.TEXT:-none}`;
    const how = this.#random.chance(0.5) ? { with: { COPY: reference } } : {};
    return [give, { name: to, run: `${asks(['outputs'])}; test -n "${reference}"; test -e fixed`, ...how }];
  }

  #condition(): object {
    const random = this.#random;
    return random.chance(0.6)
      ? {}
      : { if: random.pick(['STAGE', 'NOSUCH', `${CHECK}; test -e .cli`, 'test -e fixed']) };
  }

  #name(): string {
    this.#steps += 1;
    return `${this.#steps}${this.#random.pick(NAMES).replaceAll(/[.{}$]/g, '')}`;
  }
}

/** A program that prints a secret, and has none itself. */
function bash(script: string): object {
  return { command: ['bash', '-c', `${CHECK}; ${script}`] };
}

/** The begin of a command that lists secrets, or refers to outputs that contain some. */
function asks(names: readonly string[]): string {
  return `: '#asks,${names.join()},'; export ASKS=,${names.join()},`;
}
