# Sets wf_time to the time in microseconds. bash 4 has only whole seconds.
wf_now() {
  wf_time=${EPOCHREALTIME-$SECONDS.000000}
  wf_time=${wf_time/[.,]/}
}

# Handles signals. A signal to the whole process group ends the canary, a process in the group.
wf_watch_signals() {
  exec {wf_canary}> >(
    trap - INT TERM HUP
    exec >/dev/null 2>&1
    read -r _
  )
  wf_canary_pid=$!
  wf_helpers+="$wf_canary_pid "
  trap 'wf_on_signal INT' INT
  trap 'wf_on_signal TERM' TERM
  trap 'wf_on_signal HUP' HUP
}

# The first signal ends the run in an orderly way: the running command receives it once, and hooks still run.
wf_on_signal() {
  local -a wf_tree wf_fields
  local wf_group='' wf_time
  wf_traps=$((wf_traps + 1))
  wf_now
  if [[ -n $wf_signal ]]; then
    # Several signals within 0.3 seconds count as one.
    ((wf_time - wf_since > 300000)) || return 0
    wf_signal_all KILL
    [[ -z $wf_member ]] || return 0
    [[ -z $wf_has_servers ]] || wf_kill_servers
    wf_signal=$1
    wf_finish
  fi
  wf_signal=$1 wf_since=$wf_time
  # For members that are just starting.
  [[ -z $wf_tmp ]] || printf %s "$1" >"$wf_tmp/signal"
  wf_tree=()
  if [[ -z $wf_member ]]; then
    if wf_is_sent_to_group; then
      wf_read_stat "$$"
      wf_group=${wf_fields[2]-}
    fi
    [[ -z $wf_keeper || -n $wf_group ]] || kill -s "$1" "$wf_keeper" 2>/dev/null
    wf_signal_tree "$1" "$wf_group" "$$"
  else
    wf_find_tree "$BASHPID"
  fi
  wf_remembered=("${wf_tree[@]}")
  wf_catch_up "$1"
  wf_needs_killer "$1" || return 0
  wf_start_killer "$1"
}

# Whether this shell kills processes that do not end after a signal. If workflows have hooks, each member of a group does
# so itself, because the hooks of the others must not be killed.
wf_needs_killer() {
  [[ $1 != INT ]] || return 1
  if [[ -n $wf_has_hooks ]]; then [[ -z ${wf_running[*]-} ]]; else [[ -z $wf_member ]]; fi
}

# Whether a signal was sent to the whole group, and so has ended the canary.
wf_is_sent_to_group() {
  local wf_key wf_value wf_line=''
  local -a wf_fields
  sleep 0.02
  if [[ -z $wf_has_proc ]]; then
    # Without any list, the signal is sent once more rather than not at all.
    wf_read_stat "$$"
    [[ -n ${wf_fields[0]-} ]] || return 1
    wf_read_stat "$wf_canary_pid"
    [[ ${wf_fields[0]:-Z} == [ZX] ]]
    return $?
  fi
  { read -r wf_line <"/proc/$wf_canary_pid/stat"; } 2>/dev/null
  [[ -n $wf_line && $wf_line != *') '[ZX]* ]] || return 0
  while read -r wf_key wf_value; do
    [[ $wf_key != @(SigPnd|ShdPnd): || $wf_value == *([0]) ]] || return 0
  done 2>/dev/null <"/proc/$wf_canary_pid/status"
  return 1
}

# Forwards a signal to a command that was just starting when the signal arrived.
wf_catch_up() {
  local -i wf_left=50
  local wf_starting=$wf_pid
  [[ -z $wf_is_starting ]] || wf_starting=$!
  [[ -n $wf_starting ]] || return 0
  wf_is_this_script "$wf_starting" || return 0
  while wf_is_this_script "$wf_starting" && ((wf_left-- > 0)); do sleep 0.02; done
  kill -s "$1" "$wf_starting" 2>/dev/null
}

# Whether a process is still this script and has not yet become the command.
wf_is_this_script() {
  local -a wf_words=()
  local wf_line
  if [[ -z $wf_has_proc ]]; then
    wf_line=$(ps -p "$1" -ww -o command= 2>/dev/null)
    [[ $wf_line == *bash\ -p\ --\ * ]]
    return $?
  fi
  { mapfile -d '' -n 2 -t wf_words <"/proc/$1/cmdline"; } 2>/dev/null
  [[ ${wf_words[1]-} == -p ]]
}

wf_start_killer() {
  wf_start_helper wf_kill_later "$1"
  wf_killer=$wf_helper
}

# Sends SIGTERM 5 seconds after SIGHUP, and SIGKILL 5 seconds after SIGTERM. A helper.
wf_kill_later() {
  if [[ $1 == HUP ]]; then
    sleep 5 &
    wait
    wf_signal_all TERM
  fi
  sleep 5 &
  wait
  wf_signal_all KILL
}

wf_stop_killer() {
  local wf_code
  [[ -n $wf_killer ]] || return 0
  wf_stop_helper "$wf_killer"
  wf_killer=''
}

wf_signal_all() {
  wf_tree=("${wf_remembered[@]}")
  wf_signal_tree "$1" '' "$wf_root"
}

# Ends the processes that an interrupted command has left running.
wf_end_tree() {
  local wf_entry
  local -a wf_tree wf_all
  local wf_code=$wf_code
  wf_stop_killer
  wf_find_tree "$BASHPID"
  wf_all=("${wf_tree[@]}")
  if [[ -n $wf_cancelled || $wf_signal == TERM ]]; then
    wf_tree=("${wf_remembered[@]}")
    wf_await_tree 50 || wf_signal_tree KILL ''
    # Only the running command is ended beside a step in the background that has ended.
    [[ -z $wf_dead || -n $wf_signal ]] || return 0
    wf_tree=()
    for wf_entry in "${wf_all[@]}"; do
      [[ " ${wf_remembered[*]} " == *" $wf_entry "* ]] || wf_tree+=("$wf_entry")
    done
  else
    # A process that ignores the signal is not cleaning up. The others have 5 seconds.
    wf_tree=()
    for wf_entry in "${wf_all[@]}" "${wf_remembered[@]}"; do
      ! wf_ignores "${wf_entry%%:*}" "$([[ $wf_signal == HUP ]] && echo 1 || echo 2)" || wf_tree+=("$wf_entry")
    done
    wf_signal_tree TERM ''
    wf_tree=("${wf_all[@]}" "${wf_remembered[@]}")
    ! wf_await_tree 50 || return 0
  fi
  wf_signal_tree TERM ''
  wf_await_tree 50 || wf_signal_tree KILL ''
}

# Ends the script: by the signal that interrupted it, or with its result.
wf_finish() {
  wf_stop_killer
  wf_remove_files
  [[ -z $wf_is_unseen ]] ||
    wf_say 'processes cannot be listed with ps: only commands were signalled, and what they have started may still be running'
  if [[ -n $wf_signal ]]; then
    wf_say "interrupted by SIG$wf_signal"
    trap - "$wf_signal"
    kill -s "$wf_signal" "$$"
  fi
  return "$wf_failed"
}
