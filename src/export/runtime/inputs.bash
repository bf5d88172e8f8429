# Checks an input of the current workflow. Arguments: its name and its requirements. If it is invalid, all steps fail.
wf_input() {
  [[ -z $wf_refused ]] || return 0
  wf_continues || return 0
  wf_input_problem "$@" || return 0
  wf_refused=$wf_problem
  return 1
}

# Fails a call without steps.
wf_fail_call() {
  wf_say "a call of workflow '$wf_workflow' could not be started: $wf_refused"
  wf_failed=1
}

# Whether the value of an input is invalid. Sets wf_problem to the reason.
wf_input_problem() {
  local wf_name=$1 wf_required='' wf_type='' wf_word wf_found=1 wf_is_option=''
  wf_problem=''
  wf_look_up "$wf_name" || wf_found=''
  local wf_text=$wf_value
  shift
  for wf_word in "$@"; do
    case $wf_word in
      option=*) [[ $wf_text != "${wf_word#*=}" ]] || wf_is_option=1 ;;
      required) wf_required=1 ;;
      *) wf_type=$wf_word ;;
    esac
  done
  if [[ -n $wf_required && -z $wf_text ]]; then
    wf_problem="the input $wf_name is required"
  elif [[ -n $wf_found && $wf_type == boolean ]]; then
    wf_normalize "$wf_text"
    [[ $wf_value =~ ^(true|yes|y|on|1|false|no|n|off|0|)$ ]] || wf_problem="the input $wf_name must be true or false"
  elif [[ -n $wf_found && $wf_type == choice && -z $wf_is_option ]]; then
    wf_problem="the input $wf_name must be one of its options"
  fi
  [[ -n $wf_problem ]]
}

# Checks an input before the first command runs.
wf_check_input() {
  ! wf_input_problem "$@" || wf_cannot_start "$wf_problem; for the inputs: bash $wf_script --help"
}

# Like wf_check_input, for an input whose value contains an output: checks it only if it is a parameter.
wf_check_given_input() {
  local wf_param
  for wf_param in "${wf_params[@]}"; do
    [[ $wf_param != "$1="* ]] || wf_check_input "$@"
  done
}

# Checks that all parameters have known names.
wf_check_params() {
  local wf_param
  for wf_param in "${wf_params[@]}"; do
    [[ " $* " == *" ${wf_param%%=*} "* ]] || wf_cannot_start "nothing mentions the parameter ${wf_param%%=*}"
  done
}
