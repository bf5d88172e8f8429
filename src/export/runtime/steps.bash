# The state of the run. Every variable of this script begins with wf_.
wf_params=() wf_args=() wf_scope=() wf_inputs=() wf_defaults=() wf_dotenv=()
wf_failed=0 wf_signal='' wf_cancelled='' wf_traps=0 wf_pid='' wf_is_starting='' wf_canary='' wf_canary_pid=''
wf_missing='' wf_refused='' wf_dry_run='' wf_helpers=' ' wf_workflow='' wf_member='' wf_tmp='' wf_memory=''
wf_root=$$ wf_marker=CLI_RUN_$$_$RANDOM$RANDOM wf_killer='' wf_code=0 wf_pipe='' wf_problem='' wf_err=2 wf_yes='' wf_has_hooks='' wf_owner='' wf_confirmed=' ' wf_remembered=()
wf_has_proc='' wf_is_listed='' wf_is_unseen=''
[[ ! -r /proc/self/stat ]] || wf_has_proc=1
wf_title='' wf_serving='' wf_has_servers='' wf_dead=''
wf_secret_variables=() wf_result='' wf_requests='' wf_keeper='' wf_lost=''

wf_say() {
  printf '%s: %s\n' "$wf_script" "$1" >&"$wf_err"
}

wf_cannot_start() {
  wf_say "$1"
  exit 2
}

# Reads the arguments of the script.
wf_read_arguments() {
  local wf_key LC_ALL=C
  while (($# > 0)); do
    case $1 in
      --)
        shift
        wf_args=("$@")
        return
        ;;
      -n | --dry-run) wf_dry_run=1 ;;
      --yes) wf_yes=1 ;;
      -h | --help)
        wf_usage
        exit 0
        ;;
      -*) wf_cannot_start 'unknown flag; it takes --dry-run, --yes and --help' ;;
      *[:=]*)
        wf_key=${1%%[:=]*}
        [[ $wf_key =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] || wf_cannot_start 'the key of a parameter is not a variable name'
        [[ ! $wf_key =~ $wf_reserved ]] || wf_cannot_start "the parameter $wf_key cannot be set"
        wf_params+=("$wf_key=${1#*[:=]}")
        ;;
      *) wf_cannot_start 'a parameter is not of the form KEY:VALUE' ;;
    esac
    shift
  done
}

# Sets wf_value to the value of a variable in the scope, a parameter or the environment.
wf_look_up() {
  local -i wf_i
  local -a wf_layers=("${wf_inherited[@]}" "${wf_scope[@]}" "${wf_params[@]}")
  wf_value=''
  for ((wf_i = ${#wf_layers[@]} - 1; wf_i >= 0; wf_i--)); do
    [[ ${wf_layers[wf_i]} != "$1="* ]] || { wf_value=${wf_layers[wf_i]#*=}; return 0; }
  done
  [[ ${!1@a} != *x* ]] || { wf_value=${!1}; return 0; }
  for ((wf_i = ${#wf_dotenv[@]} - 1; wf_i >= 0; wf_i--)); do
    [[ ${wf_dotenv[wf_i]} != "$1="* ]] || { wf_value=${wf_dotenv[wf_i]#*=}; return 0; }
  done
  for ((wf_i = ${#wf_defaults[@]} - 1; wf_i >= 0; wf_i--)); do
    [[ ${wf_defaults[wf_i]} != "$1="* ]] || { wf_value=${wf_defaults[wf_i]#*=}; return 0; }
  done
  return 1
}

# Sets wf_value to a text in lower case, without leading and trailing blanks.
wf_normalize() {
  wf_value=${1#"${1%%[![:space:]]*}"}
  wf_value=${wf_value%"${wf_value##*[![:space:]]}"}
  wf_value=${wf_value,,}
}

# Sets wf_value to the value of a variable for commands. The value of a boolean input is true or empty.
wf_look_up_value() {
  local wf_input wf_type='' wf_given
  wf_look_up "$1" || return
  for wf_input in "${wf_inputs[@]}"; do
    [[ $wf_input != "$1:"* ]] || wf_type=${wf_input#*:}
  done
  [[ $wf_type == boolean ]] || return 0
  wf_given=$wf_value
  wf_normalize "$wf_given"
  case $wf_value in
    true | yes | y | on | 1) wf_value=true ;;
    false | no | n | off | 0 | '') wf_value='' ;;
    *) wf_value=$wf_given ;;
  esac
}

# Whether a value means false, although it is not empty.
wf_is_false() {
  local wf_value
  wf_normalize "$1"
  [[ $wf_value =~ ^(false|0|no|n|off)$ ]]
}

# Whether the run continues.
wf_continues() {
  [[ -z $wf_signal$wf_cancelled ]] || wf_failed=1
  ((wf_failed == 0))
}

# Records that a reference has no value, unless a parameter overrides the variable that contains it.
wf_require() {
  local wf_param
  [[ ! -v $1 ]] || return 0
  for wf_param in "${wf_params[@]}"; do
    [[ -z ${3-} || $wf_param != "$3="* ]] || return 0
  done
  [[ -n $wf_missing ]] || wf_missing="$2 has no value"
}

# Calls a workflow or runs a group. If a value is missing, its steps fail without being started.
wf_call() {
  local wf_refused=${wf_refused:-$wf_missing}
  wf_missing=''
  ! wf_continues || "$@"
}

# Like wf_call, for a workflow without steps. If a value is missing, the call itself fails.
wf_call_empty() {
  if wf_continues && [[ -n $wf_missing && -z $wf_refused ]]; then
    wf_say "a call of workflow '$wf_workflow' could not be started: $wf_missing"
    wf_failed=1
  fi
  wf_call "$@"
}

# Runs a step. Arguments: its name, its command, its options, --, and its variables.
wf_step() {
  local wf_name="step '$1' of workflow '$wf_workflow'" wf_text=$2 wf_reason=${wf_refused:-$wf_missing}
  local wf_flags='' wf_dir='' wf_timeout='' wf_allowed='' wf_delay=0 wf_attempts=1 wf_attempt=1 wf_input=inherit
  local wf_question='' wf_exit_code='' wf_title='' wf_ready='' wf_ready_value='' wf_is_grouped=''
  local -a wf_outputs=() wf_secrets=() wf_secret_variables=() wf_test_variables=()
  wf_missing=''
  wf_continues || return 0
  shift 2
  wf_read_options "$@"
  [[ -z $wf_refused$wf_reason ]] || {
    wf_say "$wf_name could not be started: $wf_reason"
    wf_set_exit_code 126
    [[ -n $wf_allowed ]] || wf_failed=1
    return 0
  }
  if [[ -n $wf_question && -z $wf_yes && $wf_confirmed != *" ${wf_question%%=*} "* ]]; then
    wf_ask "${wf_question#*=}" || return 0
  fi
  if ((${#wf_secrets[@]} > 0)) && ! wf_get_secrets; then
    wf_continues || return 0
    wf_say "$wf_name could not be started: $wf_problem"
    wf_set_exit_code 126
    [[ -n $wf_allowed ]] || wf_failed=1
    return 0
  fi
  wf_say "$wf_name"
  local -a wf_scope=("${wf_scope[@]}" "${wf_given[@]}")
  while wf_run; [[ $wf_code != 0 ]]; do
    wf_continues || break
    ((wf_attempt < wf_attempts)) || break
    wf_say "$wf_name $wf_outcome (attempt $wf_attempt of $wf_attempts)"
    wf_sleep "$wf_delay"
    wf_continues || break
    wf_attempt=$((wf_attempt + 1))
  done
  wf_set_exit_code "$wf_code"
  if [[ $wf_code == 0 ]] && ((${#wf_outputs[@]} > 0)); then
    wf_read_outputs || wf_code=1 wf_outcome="failed after exit code 0: $wf_problem"
  fi
  [[ $wf_code != 0 ]] || return 0
  wf_say "$wf_name $wf_outcome"
  [[ -n $wf_allowed && -z $wf_cancelled ]] || wf_failed=1
}

# Sets the variable for references to the exit code of the step, if there is one.
wf_set_exit_code() {
  [[ -z $wf_exit_code ]] || printf -v "$wf_exit_code" %s "$1"
}

# shellcheck disable=SC2034 # Only scripts with steps in the background read some of the options.
wf_read_options() {
  wf_given=()
  while (($# > 0)); do
    case $1 in
      --)
        shift
        wf_given=("$@")
        return
        ;;
      errexit) wf_flags=-e ;;
      allow_failure) wf_allowed=1 ;;
      dir=*) wf_dir=${1#*=} ;;
      timeout=*) wf_timeout=${1#*=} ;;
      attempts=*) wf_attempts=${1#*=} ;;
      delay=*) wf_delay=${1#*=} ;;
      confirm:*) wf_question=${1#*:} ;;
      output:*) wf_outputs+=("${1#*:}") ;;
      exit_code=*) wf_exit_code=${1#*=} ;;
      secret=*) wf_secrets+=("${1#*=}") ;;
      background=*) wf_title=${1#*=} ;;
      grouped) wf_is_grouped=1 ;;
      ready.*) wf_ready=${1%%=*} wf_ready_value=${1#*=} ;;
      test:*) wf_test_variables+=("${1#*:}") ;;
    esac
    shift
  done
}

# Runs a hook. Arguments: its name, when it runs, its command, its options, --, and its variables.
wf_hook() {
  local wf_name="hook '$1'$wf_owner" wf_text=$3 wf_flags='' wf_dir='' wf_timeout='' wf_input=inherit wf_last=''
  local wf_allowed wf_attempts wf_delay
  local -a wf_outputs=() wf_secrets=() wf_secret_variables=()
  [[ -z $wf_signal ]] || wf_end_tree
  case $2 in
    start | success) wf_continues || return 0 ;;
    failure) ! wf_continues || return 0 ;;
  esac
  [[ $2 != failure && $2 != always ]] || wf_last=1
  shift 3
  wf_read_options "$@"
  if ((${#wf_secrets[@]} > 0)) && ! wf_get_secrets; then
    wf_failed=1
    [[ -z $wf_problem ]] || wf_say "$wf_name could not be started: $wf_problem"
    return 0
  fi
  wf_say "$wf_name"
  local -a wf_scope=("${wf_scope[@]}" "${wf_given[@]}")
  wf_run
  [[ $wf_code != 0 ]] || return 0
  wf_say "$wf_name $wf_outcome"
  wf_failed=1
}

# Runs a hook of the current workflow, unless the call of the workflow could not be started. Arguments: those of wf_hook.
wf_workflow_hook() {
  local wf_owner=" of workflow '$wf_workflow'"
  [[ -z $wf_refused ]] || return 0
  wf_continues || wf_report_failure
  [[ -z $wf_cancelled ]] || wf_end_tree
  wf_hook "$@"
}

# Reports the failure of a member to its group before the hooks of the member run.
wf_report_failure() {
  [[ -z $wf_member ]] || : >"${wf_member_file-}.failed"
}
