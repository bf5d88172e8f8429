#!/bin/sh
# Runs a program on a system that resembles macOS: without /proc, with programs of BSD semantics first in PATH, and without
# programs that only GNU systems have. Usage: enter.sh PROGRAM [ARGUMENT ...]
#
# All of it is in a mount namespace of its own, on a file system in memory, and ends with it: there is nothing to remove.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${1-}" != --inside ]; then
  [ "$(id -u)" = 0 ] || set -- --user --map-root-user -- "$@"
  case ${1-} in --user) user='--user --map-root-user'; shift 3 ;; *) user='' ;; esac
  # shellcheck disable=SC2086
  exec unshare $user --mount --propagation private sh "$0" --inside "$@"
fi
shift
[ "$(readlink /proc/self/ns/mnt)" != "$(readlink "/proc/$PPID/ns/mnt")" ] || { echo 'not in a namespace' >&2; exit 2; }
mount -t tmpfs none /media
mkdir /media/hidden /media/bin /media/self
# macOS has a /dev/fd of its own; that of Linux leads here.
ln -s /proc/hidden/self/fd /media/self/fd
path=$here/bin
IFS=:
for directory in $PATH; do
  if [ -e "$directory/setsid" ] || [ -e "$directory/timeout" ] || [ -e "$directory/flock" ]; then
    # /bin and /usr/bin may be the same.
    case :$path: in *:/proc/bin:*) continue ;; esac
    ln -s "$directory"/* /media/bin 2>/dev/null || true
    directory=/proc/bin
  fi
  path=$path:$directory
done
unset IFS
rm -f /media/bin/setsid /media/bin/timeout /media/bin/flock
# Only the stand-ins and the tests themselves look at /proc/hidden.
mount --bind /proc /media/hidden
mount --rbind /media /proc
# Start times that ps prints must depend on neither of them.
export TZ=Asia/Tokyo LC_TIME=ru_RU.UTF-8
PATH=$path exec "$@"
