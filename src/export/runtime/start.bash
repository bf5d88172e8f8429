if [[ ! -f ${BASH_SOURCE[0]-} || ${BASH_SOURCE[0]} != "$0" ]]; then
  echo 'save this script to a file, and run the file with bash 4.4 or later' >&2
  if [[ -n ${BASH_SOURCE[0]-} && ${BASH_SOURCE[0]} != "$0" ]]; then return 2; fi
  exit 2
fi
if [[ ! -r /proc/self/stat ]] && ! { : < <(:); } 2>/dev/null; then
  echo "$0: this script needs /dev/fd or /proc, and this system has neither" >&2
  exit 2
fi
# -p ignores functions and options from the environment. Commands still inherit them. bash lets a script change UID and
# EUID only if they were in its environment.
if [[ $- != *p* || ! -v wf_added ]]; then
  wf_words=()
  [[ ${UID@a} != *r* ]] || wf_words+=("UID=$UID")
  [[ ${EUID@a} != *r* ]] || wf_words+=("EUID=$EUID")
  # The bash that runs this script may not be the first one in PATH.
  [[ ${BASH##*/} == bash ]] || BASH=$(type -P bash)
  wf_words+=("wf_added=${wf_words[*]%%=*}" "$BASH" -p -- "${BASH_SOURCE[0]}")
  wf_env=$(type -P env) || { echo "$0: env was not found in PATH" >&2; exit 2; }
  exec "$wf_env" "${wf_words[@]}" "$@"
fi
set +abefkmuvxC
IFS=$' \t\n'
shopt -u checkwinsize
[[ " $wf_added " != *' UID '* ]] || export -n UID
[[ " $wf_added " != *' EUID '* ]] || export -n EUID
unset -v "${!wf_@}"
wf_script=${BASH_SOURCE[0]##*/}
# Located before a PATH of the workflow file can take effect.
wf_bash=$(type -P bash) || wf_bash=$BASH
[[ $wf_bash == /* ]] || wf_bash=$PWD/$wf_bash
export CLI_CALLER_DIR=$PWD
unset -v BASH_ENV
export -n BASHOPTS SHELLOPTS
for wf_name in "${!CLI_OUTPUT_@}"; do
  [[ $wf_name != CLI_OUTPUT_[0-9]* ]] || unset -v "$wf_name"
done
# Variables that change how bash runs this script. Commands inherit them.
wf_inherited=()
for wf_name in BASH_COMPAT FUNCNEST GLOBIGNORE POSIXLY_CORRECT TMOUT; do
  [[ ${!wf_name@a} != *x* ]] || wf_inherited+=("$wf_name=${!wf_name}")
  unset -v "$wf_name"
done
{ : <&0; } 2>/dev/null || exec </dev/null
{ : >&2; } 2>/dev/null || exec 2>/dev/null
