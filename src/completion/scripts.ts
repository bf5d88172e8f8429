import { print } from '../output/document.ts';
import { EXIT, type Io } from '../output/io.ts';

/*
 * Each script asks `cli completion words` at each Tab, and hands over what it answers. A line with no name in front
 * of its tab asks for the names of files, which each shell completes in its own way.
 */

/** A text as it stands there, but for `${`, which needs a backslash in front. */
const script = ({ raw }: TemplateStringsArray): string => raw.join('').replaceAll('\\$', '$');

/** A function of bash 4 or later. It is told what to insert, quoted as it has to be there. */
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

/** A file for a folder of $fpath, where it is called _cli, or to be sourced after compinit. */
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

/** A file for ~/.config/fish/completions, where it is called cli.fish, or to be sourced. */
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

/** `completion bash` and the like: prints the script of a shell. */
export function completion(io: Io, command: keyof typeof SCRIPTS): number {
  return print(io, [SCRIPTS[command]], EXIT.ok);
}
