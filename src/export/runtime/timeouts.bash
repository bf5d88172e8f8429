# Ends a process and its descendants after wf_timeout seconds.
wf_start_timeout() {
  wf_enforce_timeout "$1" </dev/null >/dev/null 2>&1 &
  wf_watcher=$!
  wf_helpers+="$wf_watcher "
}

wf_enforce_timeout() {
  local -a wf_tree
  trap '' INT TERM HUP
  local wf_before=$!
  trap 'wf_end_helper "$wf_before"' USR1
  sleep "$wf_timeout" &
  wait
  trap '' USR1
  wf_tree=()
  wf_signal_tree TERM '' "$1"
  ((${#wf_tree[@]} > 0)) || kill -s TERM "$1"
  wf_await_tree 50 || wf_signal_tree KILL '' "$1"
  exit 124
}

wf_end_timeout() {
  local wf_result=$wf_code
  wf_stop_helper "$wf_watcher"
  wf_wait "$wf_watcher"
  if ((wf_code == 124)); then wf_outcome="timed out after $wf_timeout seconds"; else wf_code=$wf_result; fi
}
