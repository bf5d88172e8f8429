# Runs wf_text in a new shell. Sets wf_code, wf_outcome and wf_start_problem.
wf_run() {
  local wf_word wf_name_ wf_pipe=''
  local -a wf_words=("$wf_bash" --norc) wf_variables=("$wf_marker=1")
  wf_start_problem='' wf_code=126
  for wf_word in "${wf_dotenv[@]}"; do
    wf_name_=${wf_word%%=*}
    [[ ${!wf_name_@a} == *x* ]] || wf_variables+=("$wf_word")
  done
  wf_variables+=("${wf_inherited[@]}" "${wf_scope[@]}" "${wf_params[@]}")
  for wf_word in "${wf_inputs[@]}"; do
    wf_name_=${wf_word%%:*}
    ! wf_look_up_value "$wf_name_" || wf_variables+=("$wf_name_=$wf_value")
  done
  wf_variables+=("${wf_secret_variables[@]}")
  wf_check_size "$wf_text" "${wf_variables[@]}" || return 0
  if [[ -n $wf_dir ]]; then
    [[ -d $wf_dir ]] || wf_start_problem="its dir '$wf_dir' is not a directory"
    [[ ! -d $wf_dir || -x $wf_dir ]] || wf_start_problem="its dir '$wf_dir' cannot be entered"
  fi
  wf_outcome="could not be started: $wf_start_problem"
  [[ -z $wf_start_problem ]] || return 0
  [[ -z $wf_flags ]] || wf_words+=("$wf_flags")
  wf_words+=(-o pipefail -c -- "$wf_text" "$wf_bash" "${wf_args[@]}")
  ((${#wf_outputs[@]} == 0)) || wf_capture
  if [[ -n $wf_title ]]; then
    wf_serve
    return 0
  fi
  wf_start
  wf_await_end
  [[ -z $wf_pipe ]] || wf_end_capture
  [[ -z $wf_signal$wf_cancelled ]] || wf_end_tree
}

# Starts wf_words with wf_variables and wf_input, and with standard output to wf_pipe, if there is one. Sets wf_pid.
wf_start() {
  local wf_out=${wf_pipe:-2}
  # Until the command has started, a signal may miss it.
  wf_is_starting=1
  if [[ $wf_input == none ]]; then
    wf_exec </dev/null >&"$wf_out" &
  else
    wf_exec <&0 >&"$wf_out" &
  fi
  wf_pid=$!
  wf_is_starting=''
  [[ -z $wf_timeout ]] || wf_start_timeout "$wf_pid"
}

# Waits for the end of what wf_start has started. Sets wf_code and wf_outcome.
wf_await_end() {
  wf_wait "$wf_pid"
  wf_outcome="failed with exit code $wf_code"
  [[ -z $wf_lost ]] || wf_outcome='ended with an unknown exit code'
  [[ -z $wf_timeout ]] || wf_end_timeout
  wf_pid=''
}

# Linux limits each argument and variable to less than 128 KiB.
wf_check_size() {
  local wf_each LC_ALL=C
  for wf_each in "$@"; do
    ((${#wf_each} < 131072)) || wf_start_problem='its command or a variable is too large for the system'
  done
  wf_outcome="could not be started: $wf_start_problem"
  [[ -z $wf_start_problem ]]
}

# Replaces this shell by the command, unless the run has been interrupted. Variables are exported here, because the
# arguments of a program are visible to all users.
wf_exec() {
  trap - INT QUIT TERM HUP USR1
  [[ -z $wf_signal$wf_cancelled || -n ${wf_last-} ]] || exit 130
  wf_close_own
  [[ -z $wf_pipe ]] || exec {wf_pipe}>&-
  [[ -z $wf_result ]] || exec {wf_result}<&-
  [[ $wf_err == 2 ]] || exec {wf_err}>&-
  [[ -z $wf_dir ]] || wf_change_directory
  # A variable of the command may have the name of one of this script. Those of bash can be local once they are unset.
  set -- "${wf_variables[@]}" -- "${wf_words[@]}"
  while [[ $1 != -- ]]; do
    local -x "$1" || { unset -v "${1%%=*}" && local -x "$1"; }
    shift
  done 2>/dev/null
  exec -- "${@:2}"
}

# Closes the descriptors by which processes of this script notice its end.
wf_close_own() {
  [[ -z $wf_canary ]] || exec {wf_canary}>&-
  [[ -z $wf_requests ]] || exec {wf_requests}>&-
}

# Changes the directory, but not the variables PWD and OLDPWD, which the command inherits.
wf_change_directory() {
  local PWD OLDPWD
  [[ $wf_dir == /* ]] || wf_dir=./$wf_dir
  cd -P -- "$wf_dir" || exit 126
}

# Waits for a process, even if signals arrive. Sets wf_code to its exit code, and wf_lost if bash has lost it.
wf_wait() {
  local wf_before=-1
  wf_lost=''
  while [[ $wf_before != "$wf_traps" ]]; do
    if ((wf_traps > 0)) && wf_is_lost "$1"; then
      wf_lost=1 wf_code=127
      return
    fi
    wf_before=$wf_traps
    { wait "$1"; } 2>/dev/null
    wf_code=$?
  done
}

# Whether bash has lost the exit code of a process. A signal that arrives when the kernel has just given bash the code makes
# bash forget it: bash takes the process for running, and waits for it as long as it has any other child.
wf_is_lost() {
  local wf_jobs=''
  ! wf_exists "$1" || return 1
  # A signal to the group may end the subshell.
  until [[ $wf_jobs == *end ]]; do wf_jobs=$'\n'$(jobs -r -p; printf end); done
  [[ $wf_jobs == *$'\n'"$1"$'\n'* ]]
}

# Whether a process exists. The user of this script may not be permitted to send it signals.
wf_exists() {
  if [[ -n $wf_has_proc ]]; then [[ -e /proc/$1 ]]; else { kill -0 "$1" || ps -p "$1"; } >/dev/null 2>&1; fi
}

# Removes the temporary files of this script.
wf_remove_files() {
  [[ -z $wf_tmp ]] || rm -rf -- "$wf_tmp" "$wf_memory"
}

# Sleeps for some seconds, or until a signal arrives.
wf_sleep() {
  [[ -z $wf_signal$wf_cancelled ]] || return 0
  sleep "$1" >/dev/null 2>&1 &
  local wf_sleeper=$! wf_code wf_lost
  { wait "$wf_sleeper"; } 2>/dev/null
  kill -KILL "$wf_sleeper" 2>/dev/null
  wf_wait "$wf_sleeper"
}

# Runs a function of this script in the background, until wf_stop_helper. Sets wf_helper to its process.
wf_start_helper() {
  wf_help "$@" </dev/null >/dev/null 2>&1 &
  wf_helper=$!
  wf_helpers+="$wf_helper "
}

wf_help() {
  local wf_before=$!
  local -a wf_tree=()
  trap '' INT TERM HUP
  trap 'wf_end_helper "$wf_before"' USR1
  "$@"
}

# Ends a helper and the sleep that it waits for, but no sleep of its parent shell.
wf_end_helper() {
  [[ $! == "$1" ]] || kill -KILL "$!" 2>/dev/null
  exit 0
}

# Asks a helper to end, repeatedly until it is gone: a signal during its start is lost, or kills it, which bash reports.
# Sets wf_code to its exit code.
wf_stop_helper() {
  while kill -s USR1 "$1"; do sleep 0.01; done 2>/dev/null
  wf_wait "$1"
}

# Sets wf_fields to the fields of a process in /proc, from the third one, the state. The second one is its name.
#
# bash reads lines of a file in blocks, but here-strings and texts until NUL byte by byte, which takes 50 times longer.
wf_read_stat() {
  local wf_line
  local -a wf_lines=()
  [[ -n $wf_has_proc ]] || { wf_ask_stat "$1"; return; }
  { mapfile -t wf_lines <"/proc/$1/stat"; } 2>/dev/null
  # The name may contain line breaks. The fields after it contain neither blanks nor patterns.
  wf_line=${wf_lines[*]: -1}
  # shellcheck disable=SC2206
  wf_fields=(${wf_line##*) })
}

# The same fields without /proc, as on macOS.
wf_ask_stat() {
  local wf_line wf_row='^ *([^ ]+) +([0-9]+) +([0-9]+) +(.*[^ ])'
  wf_fields=()
  wf_line=$(TZ=UTC LC_ALL=C ps -p "$1" -o stat= -o ppid= -o pgid= -o lstart= 2>/dev/null)
  [[ $wf_line =~ $wf_row ]] || return 0
  wf_fields=("${BASH_REMATCH[1]:0:1}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}")
  wf_fields[19]=${BASH_REMATCH[4]//[ :]/_}
}

# The arguments and environments of processes, as one text, from the last list of ps.
declare -A wf_texts=()

# Lists processes with ps for wf_find_tree, without those that this takes. Sets wf_is_listed if this shell is among them.
wf_list_processes() {
  local IFS=$'\n' - wf_own='' wf_line wf_flags wf_columns='-o pid= -o ppid= -o pgid= -o stat= -o lstart= -o command='
  local wf_row='^ *([0-9]+) +([0-9]+) +([0-9]+) +([^ ]+) +([^ ]+ +[^ ]+ +[0-9]+ +[0-9:]+ +[0-9]+)'
  set -f
  wf_is_listed='' wf_texts=()
  # The first flags are those of macOS, the second those of FreeBSD.
  for wf_line in $(
    echo "$BASHPID"
    IFS=' '
    for wf_flags in -axE -axe -A; do
      # shellcheck disable=SC2086
      ! TZ=UTC LC_ALL=C ps $wf_flags -ww $wf_columns 2>/dev/null || break
    done
  ); do
    [[ -n $wf_own ]] || { wf_own=$wf_line; continue; }
    [[ ${wf_line:0:100} =~ $wf_row && ${BASH_REMATCH[4]} != Z* && ${BASH_REMATCH[1]} != "$wf_own" ]] || continue
    [[ ${BASH_REMATCH[1]} != "$BASHPID" ]] || wf_is_listed=1
    wf_children[${BASH_REMATCH[2]}]+="${BASH_REMATCH[1]} "
    wf_parents[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
    wf_groups[${BASH_REMATCH[1]}]=${BASH_REMATCH[3]}
    wf_texts[${BASH_REMATCH[1]}]=" $wf_line "
    wf_starts[${BASH_REMATCH[1]}]=${BASH_REMATCH[5]//[ :]/_}
  done
}

# Sets wf_tree to some processes and all their descendants, as pid:start:group, parents first.
wf_find_tree() {
  local wf_stat
  local -a wf_fields wf_queue=("$@")
  local -A wf_children=() wf_parents=() wf_starts=() wf_groups=() wf_seen=() wf_orphans=()
  wf_tree=()
  (($# > 0)) || return 0
  [[ -n $wf_has_proc ]] || wf_list_processes
  for wf_stat in ${wf_has_proc:+/proc/[0-9]*}; do
    wf_stat=${wf_stat#/proc/}
    wf_read_stat "$wf_stat"
    [[ -n ${wf_fields[19]-} && ${wf_fields[0]} != [ZX] ]] || continue
    # Half of the processes may be threads of the kernel, which have this flag.
    (((wf_fields[6] & 0x200000) == 0)) || continue
    wf_children[${wf_fields[1]}]+="$wf_stat "
    wf_parents[$wf_stat]=${wf_fields[1]}
    wf_starts[$wf_stat]=${wf_fields[19]}
    wf_groups[$wf_stat]=${wf_fields[2]}
  done
  wf_walk_tree
  [[ $1 == "$$" || -n $wf_serving ]] || return 0
  # Orphaned processes are found by the marker in their environment.
  for wf_stat in "${!wf_starts[@]}"; do
    [[ -n ${wf_seen[$wf_stat]-} ]] || ! wf_has_marker "$wf_stat" "$wf_marker" || wf_orphans[$wf_stat]=1
  done
  for wf_stat in "${!wf_orphans[@]}"; do
    [[ -n ${wf_orphans[${wf_parents[$wf_stat]}]-} ]] || wf_queue+=("$wf_stat")
  done
  wf_walk_tree
}

# Adds the processes in wf_queue and their descendants to wf_tree.
wf_walk_tree() {
  local wf_next
  while ((${#wf_queue[@]} > 0)); do
    wf_next=${wf_queue[0]}
    wf_queue=("${wf_queue[@]:1}")
    [[ $wf_helpers != *" $wf_next "* && -z ${wf_seen[$wf_next]-} ]] || continue
    wf_seen[$wf_next]=1
    [[ -z ${wf_starts[$wf_next]-} || $wf_next == "$BASHPID" || $wf_next == "$wf_root" || $wf_next == "$wf_keeper" ]] || wf_tree+=("$wf_next:${wf_starts[$wf_next]}:${wf_groups[$wf_next]}")
    # shellcheck disable=SC2206
    wf_queue+=(${wf_children[$wf_next]-})
  done
}

# Whether a process of wf_tree is alive. Its pid may have been reused. Sets wf_fields.
wf_is_alive() {
  wf_read_stat "${1%%:*}"
  [[ -n ${wf_fields[0]-} && ${wf_fields[0]} != [ZX] && ${1#*:} == "${wf_fields[19]}:"* ]]
}

# Whether a process ignores signals: 1 for SIGHUP, 2 for SIGINT.
#
# In a trap, `return` without a number gives the status from before the trap.
wf_ignores() {
  local wf_key wf_mask
  [[ -n $wf_has_proc ]] || return 1
  while read -r wf_key wf_mask; do
    [[ $wf_key != SigIgn: ]] || { (((16#${wf_mask: -1} & $2) != 0)); return $?; }
  done 2>/dev/null <"/proc/$1/status"
  return 1
}

# Whether the environment of a process contains a text, regardless of where its variables begin: `read` drops NUL.
wf_may_have() {
  local wf_line=''
  [[ -n $wf_has_proc ]] || { [[ ${wf_texts[$1]-} == *"$2"* ]]; return $?; }
  while IFS= read -r wf_line || [[ -n $wf_line ]]; do
    [[ $wf_line != *"$2"* ]] || return 0
  done 2>/dev/null <"/proc/$1/environ"
  return 1
}

# Sets wf_entries to the environment with which a process was started.
wf_read_environment() {
  local -
  wf_entries=()
  set -f
  # shellcheck disable=SC2206
  [[ -n $wf_has_proc ]] || { wf_entries=(${wf_texts[$1]-}); return 0; }
  { mapfile -d '' -t wf_entries <"/proc/$1/environ"; } 2>/dev/null
}

# Whether a process was started with a given environment variable.
wf_has_marker() {
  local wf_entry
  local -a wf_entries
  wf_may_have "$1" "$2=" || return 1
  wf_read_environment "$1"
  for wf_entry in "${wf_entries[@]}"; do
    [[ ${wf_entry%%=*} != "$2" ]] || return 0
  done
  return 1
}

# Whether a process belongs to a nested run of cli or of such a script, which forwards signals itself.
wf_is_in_nested_run() {
  local wf_entry wf_inner
  local -a wf_entries
  wf_read_environment "$1"
  for wf_entry in "${wf_entries[@]}"; do
    [[ $wf_entry =~ ^(CLI_RUN_([0-9]+)_[0-9]+)= ]] || continue
    wf_inner=${BASH_REMATCH[2]}
    [[ ${BASH_REMATCH[1]} == "$wf_marker" || -v ${BASH_REMATCH[1]} ]] || ! wf_exists "$wf_inner" || return 0
  done
  return 1
}

# Sends a signal to the processes of wf_tree and to the descendants of other processes, which it adds to wf_tree. Arguments:
# the signal, a process group that has already received it, and the other processes.
#
# All are stopped first, until two scans find no other, and continued afterwards: otherwise a shell goes on to its next
# command because the signal has reached the current one earlier.
wf_signal_tree() {
  local wf_entry wf_sent=$1 wf_group=$2 wf_stopped=' ' wf_unstopped=' ' wf_parents_of_stopped=' '
  local -i wf_scans=100 wf_fruitless=0
  local -a wf_all=() wf_first=() wf_last=() wf_new wf_roots
  local -A wf_known=()
  shift 2
  while ((wf_scans-- > 0)); do
    wf_new=()
    for wf_entry in "${wf_tree[@]}"; do
      [[ -z ${wf_known[$wf_entry]-} ]] || continue
      wf_known[$wf_entry]=1
      wf_new+=("$wf_entry")
      wf_stop "$wf_entry"
    done
    wf_fruitless=$((${#wf_new[@]} > 0 ? 0 : wf_fruitless + 1))
    ((wf_fruitless < 2)) || break
    wf_all+=("${wf_new[@]}")
    # Those that were not given have received a signal before.
    for wf_entry in "${wf_remembered[@]}"; do wf_known[$wf_entry]=1; done
    wf_await_stop "${wf_new[@]}"
    wf_roots=("$@")
    for wf_entry in "${wf_all[@]}"; do ! wf_is_alive "$wf_entry" || wf_roots+=("${wf_entry%%:*}"); done
    wf_find_tree "${wf_roots[@]}"
  done
  wf_tree=("${wf_all[@]}")
  if [[ -z $wf_has_proc$wf_is_listed ]]; then
    wf_is_unseen=1
    [[ -z $wf_pid ]] || kill -s "$wf_sent" "$wf_pid" 2>/dev/null
  fi
  for wf_sent in "$wf_sent" CONT; do
    for wf_entry in "${wf_first[@]}" "${wf_last[@]}"; do
      ! wf_is_alive "$wf_entry" || kill -s "$wf_sent" "${wf_entry%%:*}" 2>/dev/null
    done
  done
}

# Stops a process, for wf_signal_tree. Parents are stopped before their children, and a process whose parent is not
# stopped is not stopped either: a shell with job control, or sudo, would take it for suspended.
wf_stop() {
  local wf_process=${1%%:*} wf_parent
  wf_is_alive "$1" || return 0
  wf_parent=${wf_fields[1]}
  if [[ ${1##*:} == "$wf_group" ]] || { [[ $wf_sent != KILL ]] && wf_is_in_nested_run "$wf_process"; }; then
    wf_unstopped+="$wf_process "
  elif wf_is_below_running "$wf_parent" || ! kill -s STOP "$wf_process" 2>/dev/null; then
    wf_unstopped+="$wf_process "
    wf_first+=("$1")
  else
    wf_stopped+="$wf_process "
    wf_parents_of_stopped+="$wf_parent "
    wf_last=("$1" "${wf_last[@]}")
  fi
}

# Whether a parent is a process of a step that is not stopped.
wf_is_below_running() {
  [[ $wf_stopped != *" $1 "* ]] || return 1
  [[ $wf_unstopped == *" $1 "* ]] || wf_has_marker "$1" "$wf_marker"
}

# Waits until processes of wf_signal_tree have stopped, at most 10 seconds, and 2 seconds for a system call that cannot be
# interrupted: until then, they may create others.
wf_await_stop() {
  local -i wf_left=1000
  local wf_entry
  for wf_entry in "$@"; do
    while wf_is_stopping "$wf_entry" && ((wf_left-- > 0)); do sleep 0.01; done
  done
}

# Whether a process has been sent SIGSTOP and still runs, and does not wait for a child that has stopped before its
# program began (vfork(2)).
wf_is_stopping() {
  [[ $wf_stopped == *" ${1%%:*} "* ]] && wf_is_alive "$1" || return 1
  [[ ${wf_fields[0]} != [Tt] ]] || return 1
  [[ ${wf_fields[0]} != [DU] ]] || [[ $wf_left -gt 800 && $wf_parents_of_stopped != *" ${1%%:*} "* ]]
}

# Waits until all processes of wf_tree have ended, at most for a number of tenths of a second.
wf_await_tree() {
  local -i wf_left=$1
  local wf_entry wf_any
  while :; do
    wf_any=''
    for wf_entry in "${wf_tree[@]}"; do
      ! wf_is_alive "$wf_entry" || wf_any=1
    done
    [[ -n $wf_any ]] || return 0
    ((wf_left-- > 0)) || return 1
    sleep 0.1
  done
}

# Waits at most half a second for a helper process.
wf_await_exit() {
  local -i wf_left=50
  while kill -0 "$1" 2>/dev/null && ((wf_left-- > 0)); do sleep 0.01; done
}
