#!/usr/bin/env bash
# inmemory.sh COMMAND... runs a command whose temporary files are in memory, which saves a third of the time of tests that
# start many programs, databases and browsers. It needs root and enough memory; otherwise they are on the disk as usual.
# make race always uses the disk, so that both are tested.
set -eu
memory=$(awk '$1 == "MemAvailable:" {print int($2 / 1048576)}' /proc/meminfo 2>/dev/null || echo 0)
if [ "$(id -u)" -ne 0 ] || [ "$memory" -lt 10 ] || ! unshare --mount true 2>/dev/null; then
  exec "$@"
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/XXXX") # short, because the path of a socket has at most about a hundred bytes
trap 'rmdir "$dir"' EXIT
# The mount is in a namespace of its own and ends with the command.
# shellcheck disable=SC2016 # $1 is the inner shell's
TMPDIR=$dir unshare --mount --propagation private sh -ec \
  'mount -t tmpfs -o mode=1777,size=50% tests "$1"; shift; exec "$@"' sh "$dir" "$@"
