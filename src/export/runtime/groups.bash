# Runs a group. Arguments: its number, its options, --, and the name and function of each member.
wf_group() {
  wf_continues || return 0
  local wf_group_title=$1 wf_max=1000000 wf_fail_fast='' wf_grouped='' wf_any_failed='' wf_index=0 wf_code wf_child wf_line
  local -A wf_running=()
  shift
  while [[ $1 != -- ]]; do
    case $1 in
      max_parallel=*) wf_max=${1#*=} ;;
      fail_fast) wf_fail_fast=1 ;;
      grouped) wf_grouped=1 ;;
    esac
    shift
  done
  shift
  wf_say "step '$wf_group_title' of workflow '$wf_workflow': $(($# / 2)) in parallel"
  local -a wf_members=("$@") wf_files=()
  while :; do
    while ((${#wf_running[@]} < wf_max && wf_index < ${#wf_members[@]})) && wf_group_continues; do
      wf_files+=("$wf_tmp/member.$BASHPID.$((wf_group_count += 1))")
      wf_run_member "${wf_members[wf_index]}" "${wf_members[wf_index + 1]}" "${wf_files[-1]}" </dev/null &
      wf_running[$!]=$wf_index
      wf_index=$((wf_index + 2))
    done
    ((${#wf_running[@]} > 0)) || break
    for wf_child in "${!wf_running[@]}"; do
      ! kill -0 "$wf_child" 2>/dev/null || continue
      wf_wait "$wf_child"
      wf_end_member "${wf_members[wf_running[$wf_child]]}" "${wf_files[wf_running[$wf_child] / 2]}"
      unset -v "wf_running[$wf_child]"
      continue 2
    done
    if [[ -n $wf_has_hooks && -n $wf_fail_fast ]]; then
      wf_find_failed
      sleep 0.05
    else
      # Not for other processes of this script: a signal may have arrived since the members were looked at, and its trap
      # have seen the last one end. bash 4.4 ignores the list.
      { wait -n "${!wf_running[@]}"; } 2>/dev/null
    fi
  done
  for wf_line in "${wf_files[@]}"; do
    wf_line=$wf_memory/${wf_line##*/}.values
    # shellcheck disable=SC1090
    [[ ! -e $wf_line ]] || source "$wf_line"
  done
  [[ -z $wf_any_failed ]] || wf_failed=1
  [[ -z $wf_signal || -n $wf_member ]] || wf_end_tree
}

wf_group_continues() {
  [[ -z $wf_signal$wf_cancelled && ( -z $wf_any_failed || -z $wf_fail_fast ) ]]
}

# Handles the first failure of a member: with fail_fast, cancels the others.
wf_fail_group() {
  wf_any_failed=1
  [[ -n $wf_fail_fast ]] || return 0
  [[ -z $wf_has_hooks ]] || wf_report_failure
  wf_cancel_members "$1"
}

# Cancels the other members after one has reported a failure.
wf_find_failed() {
  local wf_child
  for wf_child in "${!wf_running[@]}"; do
    [[ -n $wf_any_failed || ! -e ${wf_files[wf_running[$wf_child] / 2]}.failed ]] || wf_fail_group "$wf_child"
  done
}

# Cancels the running members, except for one. Arguments: that one, and the reason if hooks are ended, too.
wf_cancel_members() {
  local wf_other
  for wf_other in "${!wf_running[@]}"; do
    [[ $wf_other != "$1" ]] || continue
    printf %s "${2-}" >>"${wf_files[wf_running[$wf_other] / 2]}.cancelled"
    kill -s USR1 "$wf_other" 2>/dev/null
  done
}

# Handles the result of a member, and prints its output if the group is grouped.
wf_end_member() {
  ((wf_code == 0)) || [[ -n $wf_any_failed ]] || wf_fail_group "$wf_child"
  if [[ -s $2.output ]]; then
    wf_say "output of '$1':"
    cat -- "$2.output" >&2
    rm -f -- "$2.output"
  fi
}

# Runs a member in a separate shell. Arguments: its name, its function and the path prefix of its files.
wf_run_member() {
  local wf_is_outermost='' wf_printer='' wf_member_file=$3
  local -A wf_running=()
  trap wf_on_cancel USR1
  trap 'wf_on_signal INT' INT
  trap 'wf_on_signal TERM' TERM
  trap 'wf_on_signal HUP' HUP
  wf_root=$BASHPID wf_killer='' wf_pid='' wf_is_starting=''
  # Signals and cancellations before the traps were set have left a file.
  [[ ! -e $3.cancelled ]] || wf_cancelled=1
  [[ ! -e $wf_tmp/signal ]] || wf_signal=$(<"$wf_tmp/signal")
  wf_now
  wf_since=$wf_time
  [[ -n $wf_member ]] || wf_is_outermost=1
  wf_member=$1
  [[ -z $wf_signal$wf_cancelled ]] || exit 1
  [[ -z $wf_grouped$wf_is_outermost ]] || [[ $wf_err != 2 ]] || exec {wf_err}>&2
  if [[ -n $wf_grouped ]]; then
    exec 2>"$3.output"
  elif [[ -n $wf_is_outermost ]]; then
    exec 2> >(wf_print_lines "$1 │ ")
    wf_printer=$!
    wf_helpers+="$wf_printer "
  fi
  "$2"
  local wf_name
  for wf_name in "${!wf_out_@}"; do printf '%s=%q\n' "$wf_name" "${!wf_name}"; done >"$wf_memory/${3##*/}.values"
  exec 2>/dev/null
  [[ -z $wf_printer ]] || wf_await_exit "$wf_printer"
  wf_continues
  exit "$wf_failed"
}

# Cancels a member after another one has failed.
wf_on_cancel() {
  local -a wf_tree
  if [[ -s $wf_member_file.cancelled || -e $wf_tmp/died.$BASHPID ]]; then
    wf_on_death
    return 0
  fi
  wf_traps=$((wf_traps + 1))
  [[ -z $wf_cancelled ]] || return 0
  wf_cancelled=1
  # A hook runs to its end, also one of a member.
  [[ -z ${wf_last-} ]] || return 0
  if [[ -n $wf_has_hooks && -n ${wf_running[*]-} ]]; then
    wf_cancel_members ''
    return 0
  fi
  wf_tree=()
  wf_signal_tree TERM '' "$BASHPID"
  wf_remembered=("${wf_tree[@]}")
  wf_catch_up TERM
  wf_start_killer TERM
}

# Prints lines with a prefix.
wf_print_lines() {
  local wf_line LC_ALL=C
  trap '' INT TERM HUP
  exec >&"$wf_err"
  exec {wf_err}>&-
  wf_close_own
  while IFS= read -r wf_line || [[ -n $wf_line ]]; do printf '%s%s\n' "$1" "$wf_line"; done
}
