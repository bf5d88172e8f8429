# Inherited secrets, and those that programs have printed: values and problems by number, outputs by arguments.
declare -A wf_environment=() wf_outputs_of=()
wf_values=() wf_problems=() wf_secret_names=' ' wf_fifos=0

# The largest value, and the largest output in which it is found.
wf_secret_limit=65536 wf_output_limit=1048576

# Takes secrets out of the environment, before any other program starts. Arguments: their names.
wf_take_secrets() {
  local wf_name wf_entry wf_value
  local -a wf_kept=()
  for wf_name in "$@"; do
    ! wf_look_up "$wf_name" || [[ -z $wf_value ]] || wf_environment[$wf_name]=$wf_value
    export -n "${wf_name?}"
  done
  wf_secret_names=" $* "
  for wf_entry in "${wf_inherited[@]}"; do
    [[ $wf_secret_names == *" ${wf_entry%%=*} "* ]] || wf_kept+=("$wf_entry")
  done
  wf_inherited=("${wf_kept[@]}")
}

# Keeps outputs, which may contain secrets, in memory, where the system has a directory for that.
wf_use_memory() {
  wf_memory=$(mktemp -d /dev/shm/wf.XXXXXXXXXX 2>/dev/null) || wf_memory=$wf_tmp
}

# Rejects parameters for secrets.
wf_reject_secrets() {
  local wf_param
  for wf_param in "${wf_params[@]}"; do
    [[ $wf_secret_names != *" ${wf_param%%=*} "* ]] ||
      wf_cannot_start "'${wf_param%%=*}' is a secret of the file; set it in the environment, not on the command line"
  done
}

# Removes secrets from the entries of a dotenv file.
wf_leave_out_secrets() {
  local wf_entry
  local -a wf_kept=()
  for wf_entry in "${wf_entries[@]}"; do
    if [[ $wf_secret_names == *" ${wf_entry%%=*} "* ]]; then
      wf_say "warning: '${wf_entry%%=*}' is a secret of the file, so its entry in $1 is not used"
    else
      wf_kept+=("$wf_entry")
    fi
  done
  wf_entries=("${wf_kept[@]}")
}

# Finds the program that reads JSON, unless the environment has all secrets that need it. Arguments: their names.
wf_find_secret_reader() {
  local wf_name
  for wf_name in "$@"; do
    [[ -z ${wf_environment[$wf_name]-} ]] || continue
    wf_find_reader "the secret '$wf_name' needs one"
    return
  done
}

# Gets the secrets that are needed in any case. Arguments: their numbers.
wf_get_early_secrets() {
  local -a wf_secrets=("$@") wf_reasons=() wf_secret_variables=()
  wf_get_secrets
  if [[ -n $wf_signal ]]; then wf_finish; fi
  ((${#wf_reasons[@]} > 0)) || return 0
  local wf_reason
  for wf_reason in "${wf_reasons[@]}"; do wf_say "$wf_reason"; done
  wf_remove_files
  wf_cannot_start 'nothing was started'
}

# Sets wf_secret_variables to the variables for wf_secrets. On failure, sets wf_problem to the reasons; after a signal there
# may be none.
wf_get_secrets() {
  local wf_number
  wf_reasons=()
  wf_secret_variables=()
  for wf_number in "${wf_secrets[@]}"; do
    wf_get_secret "$wf_number" || [[ -z $wf_problem ]] || wf_reasons+=("$wf_problem")
  done
  wf_problem=''
  for wf_number in "${wf_reasons[@]}"; do wf_problem+="${wf_problem:+; }$wf_number"; done
  ((${#wf_secret_variables[@]} == ${#wf_secrets[@]}))
}

# Adds a secret to wf_secret_variables: that of the environment, or what its program prints.
wf_get_secret() {
  local -a wf_provider
  wf_describe_secret "$1"
  wf_value=${wf_environment[${wf_provider[0]}]-}
  if [[ -z $wf_value ]]; then
    if [[ ! -v wf_values[$1] && ! -v wf_problems[$1] ]]; then
      if [[ -n $wf_requests ]]; then wf_request_secret "$1"; else wf_fetch_secret "$1"; fi
    fi
    wf_problem=${wf_problems[$1]-}
    [[ -v wf_values[$1] ]] || return 1
    wf_value=${wf_values[$1]}
  fi
  wf_secret_variables+=("${wf_provider[0]}=$wf_value")
}

# Finds the value of a secret in the output of its program, which is started once. A command that a signal has stopped
# starts none.
wf_fetch_secret() {
  local -a wf_command=("${wf_provider[@]:4}")
  local wf_key=${wf_command[*]@Q} wf_before=$wf_signal wf_output
  [[ -z $wf_signal$wf_cancelled || -n ${wf_last-} ]] || return 1
  wf_problem=''
  if [[ -z ${wf_outputs_of[$wf_key]+known} ]]; then
    wf_run_provider
    # What a signal has ended can be tried again, for a hook.
    [[ -z $wf_problem || $wf_signal == "$wf_before" ]] || return 1
    if [[ -z $wf_problem ]]; then wf_outputs_of[$wf_key]=+$wf_output; else wf_outputs_of[$wf_key]=-$wf_problem; fi
  fi
  wf_output=${wf_outputs_of[$wf_key]:1}
  [[ ${wf_outputs_of[$wf_key]} == +* ]] || wf_problem=$wf_output
  if [[ -z $wf_problem ]] && wf_find_value; then
    wf_values[$1]=$wf_value
  else
    wf_problems[$1]="secret '${wf_provider[0]}': '${wf_command[0]}' $wf_problem"
  fi
}

# Sets wf_output to what a program has printed until its own exit: a daemon may keep its output open. On failure, sets
# wf_problem.
wf_run_provider() {
  local wf_fifo=$wf_tmp/secret.$BASHPID.$((wf_fifos += 1)) wf_pipe='' wf_result='' wf_input=inherit wf_dir=''
  local wf_timeout=${wf_provider[2]} wf_end=end-$RANDOM$RANDOM$RANDOM wf_outcome wf_code wf_found
  local -a wf_words=("${wf_command[@]}") wf_variables=("${wf_inherited[@]}")
  wf_output=''
  wf_find_program "${wf_command[0]}" || return 1
  mkfifo -- "$wf_fifo" || return 1
  exec {wf_result}< <(wf_gather_output <"$wf_fifo")
  wf_helpers+="$! "
  exec {wf_pipe}>"$wf_fifo"
  rm -f -- "$wf_fifo"
  [[ -t 0 ]] || wf_input=none
  wf_start
  wf_await_end
  # The reader may be gone.
  (trap '' PIPE && printf '\0%s\0' "$wf_end" >&"$wf_pipe") 2>/dev/null
  exec {wf_pipe}>&-
  [[ -z $wf_signal ]] || wf_end_tree
  read -r -d '' -u "$wf_result" wf_found
  IFS= read -r -d '' -u "$wf_result" wf_output
  exec {wf_result}<&-
  if [[ $wf_found == large ]]; then
    wf_problem='gave more than 64 KiB'
  elif [[ $wf_outcome == 'timed out'* ]]; then
    wf_problem="timed out after ${wf_provider[3]}"
  elif ((wf_code != 0)); then
    wf_problem=$wf_outcome
  elif [[ $wf_found == binary ]]; then
    wf_problem='gave a NUL byte or invalid UTF-8'
  elif [[ -z $wf_output ]]; then
    wf_problem='gave nothing'
  fi
}

# Reads what a program prints, up to wf_end after a NUL. Prints what it has found, and the output. A process of its own: a trap
# between two parts of the output does not lose any.
wf_gather_output() {
  local LC_ALL=C wf_chunk wf_text='' wf_nuls=0 wf_found=text
  trap '' INT TERM HUP USR1
  wf_close_own
  while ((${#wf_text} <= wf_output_limit)); do
    wf_chunk=''
    if IFS= read -r -d '' -n 4096 wf_chunk; then
      [[ $wf_chunk != "$wf_end" ]] || break
      ((${#wf_chunk} == 4096)) || wf_nuls=$((wf_nuls + 1))
      wf_text+=$wf_chunk
    else
      wf_text+=$wf_chunk
      break
    fi
  done
  if ((${#wf_text} > wf_output_limit)); then
    wf_found=large
  elif ((wf_nuls > 1)) || ! wf_is_utf8 "$wf_text"; then
    wf_found=binary
  fi
  [[ $wf_found == text ]] || wf_text=''
  printf '%s\0%s\0' "$wf_found" "$wf_text"
}

# Whether a program can be started. Otherwise, sets wf_problem.
wf_find_program() {
  local wf_path=${PATH-}:
  if [[ $1 == */* ]]; then
    [[ -e $1 ]] || wf_problem='was not found'
    [[ ! -e $1 || ( -x $1 && ! -d $1 ) ]] || wf_problem='could not be started: permission denied'
  elif ! type -P -- "$1" >/dev/null; then
    wf_problem='was not found'
    while [[ -n $wf_path ]]; do
      [[ ! -e ${wf_path%%:*}/$1 ]] || wf_problem='could not be started: permission denied'
      wf_path=${wf_path#*:}
    done
  fi
  [[ -z $wf_problem ]]
}

# Whether a text is valid UTF-8: it contains no sequence that is too short, too long, overlong, a surrogate or too high.
wf_is_utf8() {
  local LC_ALL=C
  local wf_next=$'[\x80-\xbf]' wf_other=$'([^\x80-\xbf]|$)' wf_bad
  wf_bad=$'[\xc0\xc1\xf5-\xff]|(^|[^\x80-\xff])[\x80-\xbf]|\xe0[\x80-\x9f]|\xed[\xa0-\xbf]|\xf0[\x80-\x8f]|\xf4[\x90-\xbf]'
  wf_bad+=$'|[\xc2-\xf4]'$wf_other$'|[\xe0-\xf4]'$wf_next$wf_other$'|[\xf0-\xf4]'$wf_next$wf_next$wf_other
  wf_bad+=$'|[\xc2-\xdf]'$wf_next$wf_next$'|[\xe0-\xef]'$wf_next$wf_next$wf_next
  wf_bad+=$'|[\xf0-\xf4]'$wf_next$wf_next$wf_next$wf_next
  [[ ! $1 =~ $wf_bad ]]
}

# Sets wf_value to the value of a secret in wf_output. On failure, sets wf_problem.
wf_find_value() {
  if [[ ${wf_provider[1]} == text ]]; then
    wf_value=$wf_output
    while [[ $wf_value == *$'\n' ]]; do
      wf_value=${wf_value%$'\n'}
      wf_value=${wf_value%$'\r'}
    done
  elif ! wf_find_in_json; then
    wf_problem='gave no value at its path'
    return 1
  fi
  local LC_ALL=C
  [[ -n $wf_value ]] || wf_problem='gave nothing'
  ((${#wf_value} <= wf_secret_limit)) || wf_problem='gave more than 64 KiB'
  [[ -z $wf_problem ]]
}

wf_find_in_json() {
  local wf_stdout=/dev/stdin
  local -a wf_outputs=("=${wf_provider[1]}") wf_found=()
  mapfile -d '' -t wf_found < <(printf %s "$wf_output" | wf_read_values 2>/dev/null)
  wf_value=${wf_found[0]-}
  ((${#wf_found[@]} == 1))
}

# Starts a process that gets secrets for this script and the members of its groups, which are other processes: one at a time,
# and each once. It ends with this script.
wf_start_keeper() {
  local wf_stdin
  exec {wf_stdin}<&0
  exec {wf_requests}> >(wf_keep_secrets)
  wf_keeper=$!
  exec {wf_stdin}<&-
}

# Answers requests: the number of a secret, the offset in its value, whether a signal does not stop the command that needs
# it, and the name of a pipe for the answer. Answers are short, so that the pipe can hold one that nobody reads.
wf_keep_secrets() {
  local wf_number wf_offset wf_last wf_reply wf_asked wf_answer
  local -a wf_secret_variables=()
  trap 'wf_on_signal INT' INT
  trap 'wf_on_signal TERM' TERM
  trap 'wf_on_signal HUP' HUP
  wf_root=$BASHPID wf_member=secrets
  exec {wf_asked}<&0 <&"$wf_stdin" {wf_stdin}<&-
  while read -r -u "$wf_asked" wf_number wf_offset wf_last wf_reply; do
    [[ $wf_last == 1 ]] || wf_last=''
    [[ ! -e $wf_tmp/$wf_reply.left ]] || continue
    wf_stop_killer
    if wf_get_secret "$wf_number"; then wf_answer=v; else wf_answer=p wf_value=$wf_problem; fi
    wf_answer "$wf_answer" "$wf_offset" 2>/dev/null
  done
}

wf_answer() {
  local LC_ALL=C wf_more=.
  ((${#wf_value} <= $2 + 2048)) || wf_more=+
  printf '%s%s%s\0' "$1" "$wf_more" "${wf_value:$2:2048}" 1<>"$wf_tmp/$wf_reply"
}

# Gets a secret from the process that keeps them, unless the command that needs it is stopped meanwhile.
wf_request_secret() {
  local wf_reply=secret.$BASHPID.$((wf_fifos += 1)) wf_pipe wf_answer wf_offset=0
  wf_value=''
  mkfifo -- "$wf_tmp/$wf_reply" || return 1
  exec {wf_pipe}<>"$wf_tmp/$wf_reply"
  local LC_ALL=C
  while :; do
    printf '%s %s %s %s\n' "$1" "$wf_offset" "${wf_last:-0}" "$wf_reply" >&"$wf_requests"
    until read -r -t 0 -u "$wf_pipe"; do
      sleep 0.02
      if [[ -z $wf_signal$wf_cancelled || -n ${wf_last-} ]] && kill -0 "$wf_keeper" 2>/dev/null; then continue; fi
      : >"$wf_tmp/$wf_reply.left"
      exec {wf_pipe}>&-
      [[ -z $wf_signal$wf_cancelled ]] || wf_end_tree
      return 1
    done
    IFS= read -r -d '' -u "$wf_pipe" wf_answer
    wf_value+=${wf_answer:2}
    wf_offset=$((wf_offset + 2048))
    [[ ${wf_answer:1:1} == + ]] || break
  done
  exec {wf_pipe}>&-
  if [[ $wf_answer == v* ]]; then
    wf_values[$1]=$wf_value
  elif [[ -n $wf_value ]]; then
    wf_problems[$1]=$wf_value
  fi
}
