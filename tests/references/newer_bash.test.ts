import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findNewerBash } from '../../src/frontend/references/find_variables.ts';

/** Commands, and what bash 3.2 lacks in them. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  'declare -A map; map[a]=1': ['declare -A'],
  'f() { local -r -A map; }; f': ['local -r -A'],
  'typeset -gu x; command declare "-n" ref=x': ['typeset -gu', 'declare "-n"'],
  'mapfile -t lines <x; if readarray y; then :; fi': ['mapfile', 'readarray'],
  'echo ${x^^} "a ${y,}" "$(echo "${z[@]^}")" ${!n^^} "${a[0]@Q}"': [
    '${x^^}',
    '${y,}',
    '${z[@]^}',
    '${!n^^}',
    '${a[0]@Q}',
  ],
  'echo "${x:-${y^^}}" $((BASHPID + $BASHPID)) ${l[-1]} ${s:0:-1}': ['${y^^}', '$BASHPID', '${l[-1]}', '${s:0:-1}'],
  'echo `echo ${x^^}`': ['${x^^}'],
  'sleep 1 & wait -n; wait -fn $!': ['wait -n', 'wait -fn'],
  'make |& tee log &>>all': ['|&', '&>>'],
  'printf \'%(%F)T\\n\' -1; printf "[%-9(%s)T]"; printf -v now %\\(%H\\)T': ['%(%F)T', '%-9(%s)T', '%\\(%H\\)T'],
  'case x in x) a ;& y) b ;;& z) c ;; esac': [';&', ';;&'],
  'coproc cat; exec {fd}>x': ['coproc', '{fd}'],
  'if [[ -v x ]] || [ -v y ]; then shopt -s globstar; fi; read -N 1 c; cat <<E\n${x^^}\nE\nmapfile z': [
    '-v',
    '[ -v',
    'shopt -s globstar',
    'read -N',
    'mapfile',
  ],
};

/** Commands that bash 3.2 reads, or in which it is only text. */
const PLAIN: readonly string[] = [
  '# declare -A, mapfile',
  'echo \'mapfile ${x^^} |&\' "mapfile; wait -n |& declare -A" \\${x^^}',
  'cat <<E\n${x^^} $(mapfile y)\nE',
  "cat <<'E'\nmapfile\ncoproc x\nE",
  'declare -a list; declare -rx A=1; local a=-A; echo declare -A; echo mapfile; git mapfile',
  'wait $!; export -n x; read -r -t 5 x; printf -v y %s 1; printf "%s (%s)T"; echo "%(%F)T"',
  'a | b & c; d &> e; f >> g 2>&1; case x in (x) a ;; esac; a || b && c',
  'echo ${x%,} ${x%^} ${x/,/^} ${x:-,} ${x#,,} ${!x} ${!x*} ${!x@} ${#x} ${x[@]} ${l[1]} ${s:0:1} ${s: -1} ${s:-1} "${s/^^/,,}"',
  'if [[ $a == b && -n $c ]]; then [ -n v ]; test -n x; shopt -s nullglob; fi; echo {a,b}>x; echo $((a ^ b))',
  'coprocess; x=coproc; my-mapfile; ./mapfile',
];

describe('what bash 3.2 lacks', () => {
  for (const [command, expected] of Object.entries(FOUND)) {
    test(`is found in ${JSON.stringify(command)}`, () => {
      const found = [...findNewerBash(command)];
      assert.deepEqual(new Set(found.map(({ text }) => text)), new Set(expected));
      for (const { text, start } of found) assert.ok(command.startsWith(text, start) || command.includes('`'));
    });
  }
  for (const command of PLAIN) {
    test(`is not found in ${JSON.stringify(command)}`, () => {
      assert.deepEqual(findNewerBash(command), []);
    });
  }
});
