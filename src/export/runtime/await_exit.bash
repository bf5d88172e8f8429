# Waits at most half a second for a helper process.
wf_await_exit() {
  local -i wf_left=50
  while kill -0 "$1" 2>/dev/null && ((wf_left-- > 0)); do sleep 0.01; done
}
