#!/bin/sh
# Runs a program in an empty directory whose file system ignores case, as that of macOS: ext4 with casefold, or NTFS in
# user space. Usage: caseless.sh PROGRAM [ARGUMENT ...]
set -eu
# Programs that make file systems are there, and not every user has them in PATH.
PATH=$PATH:/usr/sbin:/sbin
if [ "${1-}" != --inside ]; then
  exec unshare --mount --propagation private sh "$0" --inside "$@"
fi
shift
work=$(mktemp -d)
disk=$work/disk
trap 'cd /; umount "$disk" && rm -rf "$work"' EXIT
mkdir "$disk"
dd if=/dev/zero of="$work/image" bs=1M count=16 2>/dev/null
if mkfs.ext4 -q -O casefold "$work/image" 2>/dev/null && mount -o loop "$work/image" "$disk" 2>/dev/null; then
  mkdir "$disk/in"
  chattr +F "$disk/in"
else
  mkntfs -F -q -f "$work/image" >/dev/null 2>&1
  lowntfs-3g -o ignore_case "$work/image" "$disk"
  mkdir "$disk/in"
fi
cd "$disk/in"
touch a
[ -e A ] || { echo 'the file system does not ignore case' >&2; exit 2; }
rm a
"$@"
