# Rejects parameters for matrix variables, because all copies of the step would be the same.
wf_reject_params() {
  local wf_param
  for wf_param in "${wf_params[@]}"; do
    [[ " $* " != *" ${wf_param%%=*} "* ]] || wf_cannot_start "the parameter ${wf_param%%=*} is a variable of a matrix"
  done
}
