import * as fc from 'fast-check';

/**
 * A fragment of a command in two forms: with a reference in some positions, written as `§`, and with a variable `V` in
 * the same positions, quoted by hand.
 */
export type Piece = Readonly<{ reference: string; byHand: string }>;

type Source = fc.Arbitrary<Piece>;

/** Fragments of one nesting depth. */
interface Level {
  /** Commands, each of which records its input. */
  readonly commands: Source;
  /** One or more words. */
  readonly word: Source;
  /** The content of double quotes, and of braces inside them. */
  readonly quoted: Source;
  readonly braced: Source;
  /** Commands that print. */
  readonly printing: Source;
}

function join(parts: readonly (string | Piece)[]): Piece {
  const textOf = (version: keyof Piece): string =>
    parts.map((part) => (typeof part === 'string' ? part : part[version])).join('');
  return { reference: textOf('reference'), byHand: textOf('byHand') };
}

/** The fragments of a template, whose values are fragments too. */
function of(texts: TemplateStringsArray, ...sources: readonly fc.Arbitrary<string | Piece>[]): Source {
  return fc.tuple(...sources).map((parts) => join(texts.flatMap((text, index) => [text, parts[index] ?? ''])));
}

function some(...sources: readonly Source[]): Source {
  return fc.array(fc.oneof(...sources), { minLength: 1, maxLength: 3, size: 'max' }).map(join);
}

function texts(...all: readonly string[]): Source {
  return fc.constantFrom(...all.map((text) => ({ reference: text, byHand: text })));
}

const BARE = fc.constant({ reference: '§', byHand: '"$V"' });
const IN_QUOTES = fc.constant({ reference: '§', byHand: '${V}' });
const SINGLE = fc.constantFrom(
  { reference: "'§'", byHand: `''"$V"''` },
  { reference: `'a "§ \\'`, byHand: `'a "'"$V"' \\'` },
  { reference: "'`§)'§", byHand: `'\`'"$V"')'"$V"` },
);
const ANSI = fc.constantFrom(
  { reference: "$'§'", byHand: `"$V"` },
  { reference: "$'\\'§\\n'", byHand: `$'\\''"$V"$'\\n'` },
  { reference: `$'\\\\§"'`, byHand: `$'\\\\'"$V"'"'` },
);
const PLAIN = texts('x', '-f=', 'a#b', "\\'", '\\\\', '\\"', '\\ ', '*', '~', '{a,b}', '$#', '=', '%', "''", '\\\n ');
const IN_BRACES = texts('a b', '\\\\', '\\$', '\\`', '(#', '$ ', '$#', 'a\nb', '\\\n', '*');
const IN_DOUBLE = texts('\\"', "'", '}', '# )', "$'");

const NAME = fc.constantFrom('n1', 'A', 'b_2');

/** Fragments that nest those of a level. `isBash`: whether they may use syntax of bash. */
function around({ commands, word, quoted, braced, printing }: Level, isBash: boolean): Level {
  const inner = commands.map((piece) => (piece.reference.endsWith('\n') ? piece : join([piece, '\n'])));
  const ofBash = (...sources: readonly Source[]): readonly Source[] => (isBash ? sources : []);
  const newQuoted = [IN_QUOTES, IN_BRACES, of`$(${printing})`, of`\${NO-${braced}}`];
  const line = of`${fc.constantFrom('', '', '"', "'", ') ', '# ')}${braced}`;
  const body = fc
    .array(line, { minLength: 1, maxLength: 3 })
    .map((lines) => join(lines.flatMap((each) => [each, '\n'])));
  const input = fc.tuple(fc.constantFrom(...(isBash ? ['input', '{ input; }'] : ['input'])), NAME, body);
  const inDefault = some(BARE, of`"${quoted}"`, SINGLE, texts('x', 'a b', '\\}', "\\'"));
  const newWord = [
    BARE,
    of`"${some(IN_DOUBLE, ...newQuoted)}"`,
    SINGLE,
    PLAIN,
    of`\${NO:-${inDefault}}`,
    ...ofBash(ANSI, of`$"${quoted}"`, of`\${NO-${inDefault}}`),
  ];
  const simple = [
    of`record ${word} ${word}`,
    of`record a \\\n ${word} # "§\n`,
    of`A=${word}; record "$A"`,
    of`X=${word} recordx`,
    of`export X=${word}; recordx`,
    of`set -- ${word} ${word}; record "$@"`,
    of`case ${word} in (${word}) record same;; *) record other;; esac`,
    of`[ ${word} = ${word} ]; record "$?"`,
    of`X=${word}; record "\${X#${BARE}}" \${X%${SINGLE}}`,
    input.map(([command, name, lines]) => join([`${command} <<${name} # '\n`, lines, `${name}\n`])),
    input.map(([command, name, lines]) => join([`${command} <<-${name}\n\t`, lines, `\t${name}\n`])),
    ...ofBash(
      of`A=(a ${word} [5]=${word} # (\n); record "\${A[@]}"`,
      of`f() { local v=${word}; declare -A m=([k]=${word}); record "$v" "\${m[k]}"; }; f`,
      of`[[ ${BARE} == ${BARE} && ! -z x${BARE} && a != @(x|${SINGLE}) ]] && record x`,
      of`[[ x${BARE} =~ ^x${BARE}$ ]]; record "$?"`,
      of`input <<<${word}`,
      of`input < <(keep ${word})`,
      of`((1 + (2))) && record ${word}`,
    ),
  ];
  const compound = [
    of`{ ${inner}}`,
    of`( ${inner})`,
    of`if : ${word}; then ${inner}fi`,
    of`f() { ${inner}}; f ${word}`,
    of`for x in ${word} b; do ${inner}done`,
    of`case ${word} in (no) ;; (*) ${inner};; esac`,
    of`case a in no|x${word}) no;; a) ${inner}esac`,
    of`while ${inner}do break; done`,
    of`: ${word} | { ${inner}}`,
    of`# it's "§" (\n${inner}`,
    ...ofBash(of`function g { ${inner}}; time -p g`, of`for ((i = 0; i < 1; i++)) { ${inner}}`),
  ];
  const command = fc.oneof(...simple, ...compound);
  const rest = fc.array(fc.tuple(fc.constantFrom('; ', '\n', ' && ', ' ;'), command), { maxLength: 2, size: 'max' });
  const newCommands = fc.tuple(command, rest).map(([first, others]) => {
    const parts: Piece[] = [first];
    for (const [separator, each] of others) {
      parts.push(join([parts.at(-1)?.reference.endsWith('\n') === true ? '' : separator, each]));
    }
    return join(parts);
  });
  const newPrinting = [
    of`keep ${word}`,
    of` (keep ${word}) `,
    of`case a in a) keep ${word};; esac`,
    of`# it's ) "\nkeep ${word}\n`,
    of`A=${word}; keep "$A" b | cat`,
    of`for x in ${word} b; do keep "$x"; done`,
    fc
      .tuple(NAME, word, body)
      .map(([name, each, lines]) => join([`cat <<${name}; keep `, each, '\n', lines, `${name}\n`])),
  ];
  return {
    commands: newCommands,
    word: some(...newWord),
    quoted: some(IN_DOUBLE, ...newQuoted),
    braced: some(...newQuoted),
    printing: fc.oneof(...newPrinting),
  };
}

/** Commands with references at nested positions, with or without the syntax of bash. */
export function randomCommand(isBash: boolean, depth: number): fc.Arbitrary<Piece> {
  let level: Level = {
    commands: of`record ${BARE}`,
    word: some(BARE, SINGLE, PLAIN),
    quoted: some(IN_QUOTES, IN_BRACES, IN_DOUBLE),
    braced: some(IN_QUOTES, IN_BRACES),
    printing: of`keep ${BARE}`,
  };
  for (let left = depth; left > 0; left -= 1) level = around(level, isBash);
  return level.commands;
}

/** Tokens that are invalid, or barely valid, at most positions. */
const TOKENS = [
  ...'" \' $\' $" ` \\ ( ) (( )) { } [ ] [[ ]] $( $(( $[ ${ ${X:- ${X:= ${X# ${X: ${X[ ${#X ${!X <( < > >> << <<- <<<'.split(
    ' ',
  ),
  ...'& && | || |& ; ;; ;& # § "§" \'§\' a[ a= a[§]= =( +=( @( !( -eq -c bash in do then case esac fi x) command'.split(
    ' ',
  ),
  ..."builtin for 2>& <& >& =~ == : * ~ ! time coproc function until if {fd}> a[0]= <<E <<E\f <<'E' \f \r \\\n \u00a0".split(
    ' ',
  ),
];

/** A command with some additional tokens and some missing characters. Only references have positions. */
export function disturbedCommand(isBash: boolean): fc.Arbitrary<string> {
  const change = fc.record({
    place: fc.nat(10_000),
    before: fc.constantFrom('', ' ', '\n'),
    token: fc.constantFrom(...TOKENS),
    after: fc.constantFrom('', ' ', '\n'),
    skipped: fc.constantFrom(0, 0, 0, 0, 1, 2),
  });
  const changes = fc.array(change, { minLength: 1, maxLength: 3 });
  return fc.tuple(randomCommand(isBash, 1), changes).map(([{ reference }, all]) => {
    let text = reference;
    for (const { place, before, token, after, skipped } of all) {
      const places = Array.from(text.matchAll(/\s|§|\b|$/g), ({ index }) => index);
      const at = places[place % places.length] ?? 0;
      text = text.slice(0, at) + before + token + after + text.slice(at + skipped);
    }
    return text;
  });
}
