wf_start_timeout() {
  wf_start_helper wf_enforce_timeout "$1"
  wf_watcher=$wf_helper
}

# Ends a process and its descendants after wf_timeout seconds. A helper.
wf_enforce_timeout() {
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
  if ((wf_code == 124)) && [[ -z $wf_has_proc ]]; then
    local -a wf_tree
    wf_find_tree "$$"
    [[ -n $wf_is_listed ]] || wf_is_unseen=1
  fi
  if ((wf_code == 124)); then wf_outcome="timed out after $wf_timeout seconds"; else wf_code=$wf_result; fi
}
