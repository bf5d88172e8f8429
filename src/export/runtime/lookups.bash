# Sets wf_value to the value of a referenced variable. for=NAME: the variable whose value contains the reference, which
# a parameter may override. open: the value contains an output.
wf_resolve() {
  local wf_name=$1 wf_each wf_for='' wf_open='' wf_has_other='' wf_other='' wf_param
  shift
  for wf_each in "$@"; do
    case $wf_each in
      for=*) wf_for=${wf_each#*=} ;;
      open) wf_open=1 ;;
      otherwise=*) wf_has_other=1 wf_other=${wf_each#*=} ;;
    esac
  done
  wf_value=''
  for wf_param in "${wf_params[@]}"; do
    [[ $wf_param != "$wf_for="* ]] || return 0
    [[ $wf_param != "$wf_name="* ]] || wf_open=''
  done
  [[ -z $wf_open ]] || wf_cannot_start "a value refers to $wf_name, whose own value comes from an output"
  ! wf_look_up_value "$wf_name" || return 0
  [[ -n $wf_has_other ]] || wf_cannot_start "a value refers to $wf_name, which nothing sets"
  wf_value=$wf_other
}

# Checks that a directory has a path.
wf_check_directory() {
  [[ -n ${1#*=} ]] || wf_cannot_start 'the path of a directory is empty'
}

# Rejects parameters for matrix variables, because all copies of the step would be the same.
wf_reject_params() {
  local wf_param
  for wf_param in "${wf_params[@]}"; do
    [[ " $* " != *" ${wf_param%%=*} "* ]] || wf_cannot_start "the parameter ${wf_param%%=*} is a variable of a matrix"
  done
}
