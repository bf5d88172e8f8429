# A command of a random workflow: `. ./step.bash WORD [VALUE]`. Appends a line to `effects` when it begins and when it
# ends, with the variables that mark the processes of runs: they name the session and the number of the command.
note() {
  local name line="$1|$what|"
  for name in "${!CLI_RUN_@}"; do line+=" $name=${!name}"; done
  echo "$line" >> effects
}

what=$*
[[ $1 != took ]] || what=took
note begin
case $1 in
  give)
    sleep 0.01
    value=$RANDOM
    note "gave $value"
    echo "$value"
    ;;
  took) note "took $2" ;;
  tag) sleep 0.03 ;;
  test) # Succeeds at its second attempt.
    sleep 0.01
    [[ -e failed.test ]] || { : > failed.test; note fail; exit 1; }
    ;;
  publish) # Fails once, and the run with it.
    sleep 0.02
    [[ -e failed.publish ]] || { : > failed.publish; note fail; exit 1; }
    ;;
  push) setsid -w bash -c '. ./step.bash detached "$1"' _ "$PPID" ;;
  detached) # Outlives a killed runner for a time.
    sleep 0.02
    kill -0 "$2" 2> /dev/null || sleep 2
    ;;
  clean) # Exits with 0 after a signal.
    trap 'sleep 0.02; exit 0' TERM
    sleep 0.05 &
    wait
    ;;
  notify) # A failure that is allowed.
    sleep 0.01
    note fail
    exit 3
    ;;
  own) # A hook of a workflow. That of `w` fails at its first time.
    sleep 0.02
    [[ "$2 $3" != 'finally w' || -e failed.own ]] || { : > failed.own; note fail; exit 1; }
    ;;
  if)
    sleep 0.005
    note end
    [[ $2 == yes ]]
    exit
    ;;
  *) sleep 0.01 ;;
esac
note end
