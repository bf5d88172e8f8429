# Whether questions can be asked: input and messages must be at a terminal, and not in CI.
wf_can_ask() {
  [[ -z $wf_yes && -t 0 && -t 2 && ! -v CI ]]
}

# Checks before the first command runs that the questions of steps without a condition can be answered.
wf_check_questions() {
  [[ -z $wf_yes ]] || return 0
  wf_can_ask || wf_cannot_start "$(wf_one_line "$1"); there is no terminal to ask at; to answer yes, add --yes"
}

# Prints a text, quoted for the shell if a value in it has control characters.
wf_one_line() {
  if [[ $1 == *[[:cntrl:]]* ]]; then printf %s "${1@Q}"; else printf %s "$1"; fi
}

# Asks a question, by a command that reads from the terminal. Unless the answer is yes, the run fails.
wf_ask() {
  local wf_text wf_flags='' wf_dir='' wf_timeout='' wf_input=inherit wf_title=''
  local -a wf_outputs=() wf_scope=() wf_params=() wf_inputs=()
  [[ -z $wf_yes ]] || return 0
  set -- "$(wf_one_line "$1")"
  if [[ -z $wf_member ]] && wf_can_ask; then
    local wf_prompt="$wf_script: $1 [y/N] "
    wf_text="printf %s ${wf_prompt@Q}"
    wf_text+='; read -r answer || echo; case $answer in [yY] | [yY][eE][sS]) ;; *) exit 1 ;; esac'
    wf_run
    [[ $wf_code != 0 || -n $wf_signal ]] || return 0
    [[ -z $wf_dead ]] || return 1
  fi
  wf_failed=1
  wf_say "declined: $1"
  return 1
}

# Asks the question of a member before its group starts.
wf_ask_early() {
  [[ $wf_confirmed != *" $1 "* ]] || return 0
  [[ -z $wf_refused$wf_missing ]] || return 0
  wf_continues || return 0
  ! wf_ask "$2" || wf_confirmed+="$1 "
}

# Whether a variable is unset or empty.
wf_is_unset() {
  local wf_name=$1
  shift 2
  local -a wf_scope=("${wf_scope[@]}" "$@")
  wf_look_up_value "$wf_name" || return 0
  [[ -z $wf_value ]]
}
