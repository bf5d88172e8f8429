# Whether a variable is set and not empty.
wf_is_set() {
  local wf_label=$1 wf_name=$2
  local -a wf_given
  wf_continues || return 1
  [[ -z $wf_refused$wf_missing ]] || return 0
  shift 2
  wf_read_options "$@"
  local -a wf_scope=("${wf_scope[@]}" "${wf_given[@]}")
  wf_look_up_value "$wf_name" || wf_value=''
  if wf_is_false "$wf_value"; then
    wf_say "the condition of $wf_label of workflow '$wf_workflow' tests $wf_name, which has a false value but is not empty"
    wf_failed=1
    return 1
  fi
  [[ -z $wf_value ]] || return 0
  wf_say "skipped $wf_label of workflow '$wf_workflow': $wf_name is not set"
  return 1
}

# Whether a command succeeds.
wf_holds() {
  local wf_label=$1 wf_text=$2 wf_flags='' wf_dir='' wf_timeout='' wf_input=none
  local wf_allowed wf_attempts wf_delay wf_question
  local -a wf_outputs=()
  wf_continues || return 1
  [[ -z $wf_refused$wf_missing ]] || return 0
  shift 2
  wf_read_options "$@"
  local -a wf_scope=("${wf_scope[@]}" "${wf_given[@]}")
  wf_say "the condition of $wf_label of workflow '$wf_workflow'"
  # `! COMMAND` of a command that does not exist would succeed.
  [[ ! $wf_text =~ ^[[:space:]]*(![[:space:]]+)+([A-Za-z_][A-Za-z0-9_.+-]*)([[:space:];|&\)]|$) ]] ||
    wf_text="type ${BASH_REMATCH[2]} >/dev/null 2>&1 || { ${BASH_REMATCH[2]}; exit; }; $wf_text"
  wf_run
  wf_continues || return 1
  if [[ -n $wf_start_problem ]]; then
    wf_say "the condition of $wf_label of workflow '$wf_workflow' $wf_outcome"
    wf_failed=1
  elif ((wf_code == 126 || wf_code == 127)); then
    wf_say "skipped $wf_label of workflow '$wf_workflow': its condition could not be run (exit code $wf_code)"
  elif ((wf_code != 0)); then
    wf_say "skipped $wf_label of workflow '$wf_workflow': its condition failed"
  fi
  ((wf_code == 0))
}

# Checks the value of a condition's variable before the first command runs.
wf_check_condition() {
  wf_look_up_value "$1" || wf_value=''
  ! wf_is_false "$wf_value" ||
    wf_cannot_start "$2 tests $1, which has a false value but is not empty; leave it empty instead ($1:)"
}
