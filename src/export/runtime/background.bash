# The processes of the current execution that keep steps in the background, and the paths of their files.
wf_servers=() wf_served=0
declare -A wf_server_files=()

# Handles the ends of steps in the background. They are stopped after everything else, as hooks run.
wf_watch_servers() {
  wf_has_servers=1 wf_has_hooks=1
  trap wf_on_death USR1
}

# Finds the program that tests URLs.
wf_find_curl() {
  wf_curl=$(type -P curl) || wf_cannot_start "curl was not found in PATH; the field 'ready.url' needs it"
}

# Starts the command of wf_run in the background, and waits until it is ready. Sets wf_code, and wf_outcome if it is not.
wf_serve() {
  local wf_file=$wf_tmp/server.$BASHPID.$((wf_served += 1)) wf_starter=$BASHPID wf_child
  wf_is_testable || return 0
  printf %s "$wf_marker$wf_starter$wf_served" >"$wf_file.marker"
  wf_help wf_keep_server </dev/null >/dev/null &
  wf_child=$!
  wf_helpers+="$wf_child "
  wf_servers+=("$wf_child")
  wf_server_files[$wf_child]=$wf_file
  until [[ -e $wf_file.ready || -s $wf_file.code || -n $wf_signal$wf_cancelled ]]; do
    kill -0 "$wf_child" 2>/dev/null || break
    wf_sleep 0.05
  done
  wf_code=0
  [[ ! -e $wf_file.ready ]] || return 0
  wf_code=143 wf_outcome='was not ready yet'
  [[ -z $wf_signal$wf_cancelled ]] || return 0
  unset -v 'wf_servers[-1]'
  wf_end_keeper "$wf_child"
  read -r wf_code wf_outcome <"$wf_file.code"
}

# Whether the test of readiness makes sense.
wf_is_testable() {
  case $wf_ready in
    ready.port)
      [[ $wf_ready_value =~ ^[1-9][0-9]{0,4}$ ]] && ((wf_ready_value <= 65535)) ||
        wf_start_problem="the port of 'ready' is '$wf_ready_value', not a number from 1 to 65535"
      ;;
    ready.url)
      [[ $wf_ready_value =~ ^https?:// ]] ||
        wf_start_problem="the url of 'ready' is '$wf_ready_value', not one that begins with http:// or https://"
      ;;
    ready.output) [[ -n $wf_ready_value ]] || wf_start_problem="the text of 'ready' is empty" ;;
  esac
  wf_outcome="could not be started: $wf_start_problem"
  [[ -z $wf_start_problem ]]
}

# Stops the steps in the background of the current execution, the last one first.
wf_stop_servers() {
  local wf_child
  ((${#wf_servers[@]} > 0)) || return 0
  [[ -z $wf_signal$wf_cancelled ]] || wf_end_tree
  while ((${#wf_servers[@]} > 0)); do
    wf_child=${wf_servers[-1]}
    unset -v 'wf_servers[-1]'
    : >"${wf_server_files[$wf_child]}.stop"
    kill -s USR1 "$wf_child" 2>/dev/null
    wf_end_keeper "$wf_child"
    [[ ! -e ${wf_server_files[$wf_child]}.died ]] || wf_failed=1
  done
}

# Waits until nothing is left of a step in the background, and prints its output if it is grouped.
wf_end_keeper() {
  local wf_code wf_lost wf_file=${wf_server_files[$1]}
  wf_wait "$1"
  [[ -s $wf_file.output ]] || return 0
  wf_say "output of '$(<"$wf_file.name")':"
  cat -- "$wf_file.output" >&2
  rm -f -- "$wf_file.output"
}

# Ends what runs beside a step in the background that has ended by itself, also a hook, and all members of a group.
wf_on_death() {
  local -a wf_tree=()
  wf_traps=$((wf_traps + 1))
  [[ -z $wf_dead ]] || return 0
  wf_dead=1 wf_cancelled=1 wf_failed=1
  wf_report_failure
  [[ -z ${wf_sleeper-} ]] || kill -KILL "$wf_sleeper" 2>/dev/null
  if [[ -n ${wf_running[*]-} ]]; then
    wf_cancel_members '' dead
    return 0
  fi
  [[ -n $wf_pid$wf_is_starting ]] || return 0
  wf_signal_tree TERM '' "${wf_pid:--}"
  wf_remembered=("${wf_tree[@]}")
  # Nothing else is killed.
  local wf_root=${wf_pid:--}
  wf_catch_up TERM
  wf_start_killer TERM
}

# Kills all steps in the background, also those of members.
wf_kill_servers() {
  local wf_file wf_marker wf_serving=1
  local -a wf_tree wf_remembered=()
  for wf_file in "$wf_tmp"/server.*.marker; do
    [[ -e $wf_file ]] || continue
    : >"${wf_file%.marker}.stop"
    wf_marker=$(<"$wf_file")
    wf_find_tree -
    wf_signal_tree KILL '' -
  done
}

# Starts a step in the background, tests whether it is ready, waits for its end, and ends what is left of it. A helper; USR1
# stops the step.
wf_keep_server() {
  local wf_server='' wf_printer='' wf_limit='' wf_stopping='' wf_taken=''
  trap wf_stop_server USR1
  wf_close_own
  wf_marker=$(<"$wf_file.marker") wf_serving=1 wf_canary='' wf_requests='' wf_pid=''
  wf_variables[0]=$wf_marker=1
  wf_show_server
  if [[ -n $wf_timeout ]]; then
    sleep "$wf_timeout" >/dev/null 2>&1 &
    wf_limit=$!
  fi
  if wf_is_taken; then
    echo "126 could not be started: $wf_taken" >"$wf_file.code"
  elif [[ ! -e $wf_file.stop && -e $wf_file.marker ]]; then
    # In a process group of its own: a signal to the group of this script does not reach it.
    set -m
    # A signal that a child ignores until its program begins would be lost.
    trap 'wf_traps=$((wf_traps + 1))' TERM
    wf_exec </dev/null >&"$wf_pipe" 2>&1 &
    wf_server=$!
    trap '' TERM
    set +m
    [[ -z $wf_stopping ]] || wf_end_server
    wf_follow_server
  fi
  [[ -z $wf_limit ]] || kill -KILL "$wf_limit" 2>/dev/null
  exec {wf_pipe}>&-
  wf_await_exit "$wf_printer"
  [[ ! -e $wf_file.died ]] || wf_say "$wf_name ended with exit code $(<"$wf_file.died")"
}

# Opens wf_pipe for the output of the step, which goes to a file, or to lines with its name in front, except in a member, whose
# name they have.
wf_show_server() {
  local wf_prefix=''
  [[ $wf_err != 2 ]] || exec {wf_err}>&2
  if [[ -n $wf_is_grouped ]]; then
    printf %s "$wf_title" >"$wf_file.name"
    exec 2>"$wf_file.output"
  elif [[ -z $wf_member ]]; then
    wf_prefix="$wf_title │ "
  fi
  exec {wf_pipe}> >(wf_print_server "$wf_prefix")
  wf_printer=$!
  wf_helpers+="$wf_printer "
  # bash reports processes that have been killed.
  exec 2>/dev/null
}

# Prints lines with a prefix. Searches them for the text of ready.output, also one that has not ended yet.
wf_print_server() {
  local wf_line='' wf_part wf_status LC_ALL=C
  local -a wf_limited=()
  trap '' INT TERM HUP
  [[ $wf_ready != ready.output ]] || wf_limited=(-t 0.05)
  while :; do
    wf_part=''
    IFS= read -r "${wf_limited[@]}" wf_part
    wf_status=$?
    wf_line+=$wf_part
    if ((${#wf_limited[@]} > 0)) && [[ -n $wf_part ]] && wf_has_text "$wf_line"; then
      : >"$wf_file.found"
      wf_limited=()
    fi
    ((wf_status <= 128)) || continue
    ((wf_status == 0)) || [[ -n $wf_line ]] || return 0
    printf '%s%s\n' "$1" "$wf_line" >&2
    wf_line=''
    ((wf_status == 0)) || return 0
  done
}

# Whether a line contains the text of ready.output, without escape sequences and control characters.
wf_has_text() {
  local wf_plain=$1 wf_sequence=$'\e(\\[[0-?]*[ -/]*[@-~]|\\][^\a\e]*(\a|\e\\\\))'
  while [[ $wf_plain =~ $wf_sequence ]]; do wf_plain=${wf_plain//"${BASH_REMATCH[0]}"/}; done
  [[ ${wf_plain//[[:cntrl:]]/} == *"${wf_ready_value//[[:cntrl:]]/}"* ]]
}

# Whether something else would pass the test. Sets wf_taken to the reason.
wf_is_taken() {
  case $wf_ready in
    ready.port) ! wf_probe_port || wf_taken="port $wf_ready_value is already in use" ;;
    ready.url) [[ $(wf_status_of_url) == 000 ]] || wf_taken="$wf_ready_value already answers" ;;
  esac
  [[ -n $wf_taken ]]
}

# Waits until the step is ready, and for its end.
wf_follow_server() {
  local wf_code wf_lost
  if wf_await_ready; then
    : >"$wf_file.ready"
    wf_wait "$wf_server"
    wf_server=''
    [[ -z $wf_stopping ]] || return 0
    echo "$wf_code" >"$wf_file.died"
    : >"$wf_tmp/died.$wf_starter"
    kill -s USR1 "$wf_starter" 2>/dev/null
  elif [[ -z $wf_stopping ]] && kill -0 "$wf_server" 2>/dev/null; then
    echo "124 was not ready after $wf_timeout seconds" >"$wf_file.code"
  elif [[ -z $wf_stopping ]]; then
    wf_wait "$wf_server"
    wf_server=''
    wf_outcome="ended with exit code $wf_code before it was ready"
    ((wf_code != 0)) || wf_code=1 wf_outcome+='; its command has to stay in the foreground, without & or --daemon'
    echo "$wf_code $wf_outcome" >"$wf_file.code"
  fi
  [[ -n $wf_stopping ]] || wf_end_server
  [[ -z $wf_server ]] || wf_wait "$wf_server"
}

# Whether a step that is not ready yet runs and has time left.
wf_is_pending() {
  [[ -z $wf_stopping ]] && kill -0 "$wf_server" && kill -0 "$wf_limit"
} 2>/dev/null

wf_await_ready() {
  local wf_trial wf_code wf_lost
  [[ -n $wf_ready ]] || return 0
  while wf_is_pending; do
    case $wf_ready in
      ready.output) [[ ! -e $wf_file.found ]] || return 0 ;;
      *)
        set -m
        wf_test_server </dev/null >/dev/null 2>&1 &
        wf_trial=$!
        set +m
        while kill -0 "$wf_trial" 2>/dev/null && wf_is_pending; do sleep 0.02; done
        wf_is_pending || break
        wf_wait "$wf_trial"
        ((wf_code != 0)) || return 0
        [[ $wf_ready != ready.run ]] || sleep 0.15
        ;;
    esac
    sleep 0.05
  done
  return 1
}

# Makes one try, in a process of its own.
wf_test_server() {
  case $wf_ready in
    ready.port) wf_probe_port ;;
    ready.url) [[ $(wf_status_of_url) == [1-4]* ]] ;;
    ready.run)
      wf_words=("$wf_bash" --norc -o pipefail -c -- "$wf_ready_value" "$wf_bash" "${wf_args[@]}")
      wf_variables+=("${wf_test_variables[@]}")
      wf_exec
      ;;
  esac
}

# Whether a port of this machine accepts connections.
wf_probe_port() {
  ( exec 3<>"/dev/tcp/127.0.0.1/$wf_ready_value" || exec 3<>"/dev/tcp/::1/$wf_ready_value" ) 2>/dev/null
}

# Prints the status of the answer of a URL, 000 without one. The certificate of a local server is not checked.
wf_status_of_url() {
  local wf_url=${wf_ready_value//\\/\\\\}
  printf 'url = "%s"\n' "${wf_url//\"/\\\"}" |
    "$wf_curl" -q -gsk --noproxy '*' -m 5 -o /dev/null -w '%{http_code}' -K -
}

# Stops the step.
wf_stop_server() {
  wf_traps=$((wf_traps + 1)) wf_stopping=1
  [[ -z $wf_server ]] || wf_end_server
}

# Ends the processes of the step: SIGTERM, and SIGKILL after 5 seconds.
wf_end_server() {
  local -i wf_until=$((SECONDS + 5))
  trap '' USR1
  wf_tree=() wf_remembered=() wf_pid=$wf_server
  wf_signal_tree TERM '' "${wf_server:--}"
  wf_catch_up TERM
  while wf_find_tree "${wf_server:--}"; ((${#wf_tree[@]} > 0)) || kill -0 "$wf_server" 2>/dev/null; do
    if ((SECONDS > wf_until)); then
      wf_signal_tree KILL '' "${wf_server:--}"
      return 0
    fi
    sleep 0.1
  done
}
