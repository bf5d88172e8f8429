if [ -z "${BASH_VERSION:-}" ]; then
  echo "$0: this script needs bash" >&2
  exit 2
fi
if [[ ! -f ${BASH_SOURCE[0]-} || ${BASH_SOURCE[0]} != "$0" ]] || ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
  echo 'save this script to a file, and run the file with bash 4.4 or later' >&2
  if [[ -n ${BASH_SOURCE[0]-} && ${BASH_SOURCE[0]} != "$0" ]]; then return 2; fi
  exit 2
fi
# -p ignores functions and options from the environment. Commands still inherit them.
if [[ $- != *p* ]]; then
  exec "$(type -P bash)" -p "${BASH_SOURCE[0]}" "$@"
fi
set +abefkmuvxC
IFS=$' \t\n'
shopt -u checkwinsize
unset -v "${!wf_@}"
wf_script=${BASH_SOURCE[0]##*/}
# Located before a PATH of the workflow file can take effect.
wf_bash=$(type -P bash) || wf_bash=$BASH
[[ $wf_bash == /* ]] || wf_bash=$PWD/$wf_bash
wf_env=$(type -P env) || { echo "$wf_script: env was not found in PATH" >&2; exit 2; }
[[ $wf_env == /* ]] || wf_env=$PWD/$wf_env
wf_unset=(-u BASH_ENV -u BASHOPTS -u SHELLOPTS)
wf_inherited=()
[[ ! -v POSIXLY_CORRECT ]] || wf_inherited=("POSIXLY_CORRECT=$POSIXLY_CORRECT")
set +o posix
{ : <&0; } 2>/dev/null || exec </dev/null
{ : >&2; } 2>/dev/null || exec 2>/dev/null
