#!/bin/sh
# Replaces a program of a random file. Records its arguments, its environment and its directory as the kernel has them,
# and gives the prepared output and exit code of the call.
name=${0##*/}
home=${0%/bin/*}
number=0
while ! mkdir "$home/calls/$name.$number" 2>/dev/null; do number=$((number + 1)); done
call=$name.$number
echo "$call" >>"$home/order"
cp "/proc/$$/cmdline" "/proc/$$/environ" "$home/calls/$call"
pwd -P >"$home/calls/$call/directory"
while [ "$number" -ge 0 ]; do
  read -r code text || exit 0
  number=$((number - 1))
done <"$home/answers/$name"
[ -s "$home/texts/$text" ] && cat "$home/texts/$text"
exit "$code"
