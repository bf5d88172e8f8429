import { print } from '../output/document.ts';
import { EXIT, type Io } from '../output/io.ts';

/*
 * Each script calls `cli completion words` at each Tab. An answer line with no text before its tab requests file names,
 * which the shell completes itself.
 */

/** The raw text of a template; only `${` needs a backslash. */
const script = ({ raw }: TemplateStringsArray): string => raw.join('').replaceAll('\\$', '$');

/** For bash 4 or later. The answer is already quoted. */
const BASH = script`_cli() {
  mapfile -t COMPREPLY < <(
    cli completion words -- bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null </dev/null
  )
  case \${COMPREPLY[0]-} in
    $'\t'*) COMPREPLY=() && compopt -o default ;;
    *:) compopt -o nospace ;;
  esac
}
complete -F _cli cli
`;

/** To be saved as _cli in a directory of $fpath, or sourced after compinit. */
const ZSH = script`#compdef cli
_cli() {
  local line name
  local -a names keys
  for line in "\${(@f)$(
    cli completion words -- zsh "\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null
  )}"; do
    case $line in
      $'\t'*) compset -P '--*='; _files; return ;;
      *$'\t'*) ;;
      *) continue ;;
    esac
    name=\${line%%$'\t'*}
    line=\${\${name//\\/\\\\}//:/\\:}\${\${line#*$'\t'}:+:\${line#*$'\t'}}
    if [[ $name == *: ]]; then keys+=("$line"); else names+=("$line"); fi
  done
  _describe -t words cli names -- keys -S ''
}
if [[ \${funcstack[1]} == _cli ]]; then _cli; else compdef _cli cli; fi
`;

/** To be saved as cli.fish in ~/.config/fish/completions, or sourced. */
const FISH = script`function __cli_words
    set -l token (commandline -ct)
    set -l current (string unescape -- "$token")
    set -l answer (cli completion words -- fish (commandline -opc) "$current" 2>/dev/null </dev/null)
    if string match -q \t'*' -- "$answer[1]"
        complete -C "'' $token"
    else
        printf '%s\n' $answer
    end
end
complete -c cli -e
complete -c cli -f -a '(__cli_words)'
`;

const SCRIPTS = { 'completion bash': BASH, 'completion zsh': ZSH, 'completion fish': FISH } as const;

/** `completion <shell>`: prints the completion script. */
export function completion(command: keyof typeof SCRIPTS): (io: Io) => number {
  return (io) => print(io, [SCRIPTS[command]], EXIT.ok);
}
