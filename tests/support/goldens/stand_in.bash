#!/usr/bin/env bash
# Replaces a program of a pipeline, such as `docker`: the target of a link with the name of the program.
#
# Next to the directory of the links, `calls.txt` receives a line for each call, and `answers.bash` selects the answers to
# a call: lists of one length, whose first elements are for the first such call, and the last ones for all that follow.
#
# Not a program for Node.js, which takes 20 times longer to start: the pipelines call stand-ins hundreds of times.
home=${0%/bin/*}
IFS=$'\037'
call=${0##*/}$IFS$*$IFS

words=
for word; do
  word=${word//\\/\\\\}
  word=${word//\"/\\\"}
  word=${word//$'\n'/\\n}
  word=${word//$'\t'/\\t}
  words+=,\"$word\"
done
cd -P . || exit 70
directory=${PWD#"$home/work"}
directory=${directory#/}
printf '%s [%s] %s\n' "${0##*/}" "${words#,}" "${directory:-.}" >>"$home/calls.txt"

# Reads what a pipe sends: a writer whose reader has exited ends with SIGPIPE.
[ ! -p /dev/stdin ] || read -r -d '' _
source "$home/answers.bash"
[ -n "$answer" ] || exit 0
# Members of a group call at the same time, and each creates another file.
set -o noclobber
attempt=0
until { : >"$home/attempt.$answer.$attempt"; } 2>/dev/null; do attempt=$((attempt + 1)); done
last=$((${#codes[@]} - 1))
attempt=$((attempt < last ? attempt : last))
[ "${seconds[attempt]}" = 0 ] || sleep "${seconds[attempt]}"
printf %s "${stderr[attempt]}" >&2
printf %s "${stdout[attempt]}"
exit "${codes[attempt]}"
