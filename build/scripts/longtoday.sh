#!/usr/bin/env bash
# longtoday.sh SECONDS runs one of the long targets and names its result. The date chooses it, so that six days run all;
# TARGET=NAME chooses another. A target that cannot run on this machine, or is not done after SECONDS, is no failure.
set -u
unset MAKEFLAGS MFLAGS # of the parent
targets=(package-test engines trust crash leaks faults)
target=${TARGET:-${targets[$(($(date +%s) / 86400 % ${#targets[@]}))]}}
limit=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

say() { printf '=== long target of the day, make %s: %s\n' "$target" "$*"; }
# try COMMAND... prepares the target; if that is not possible here, there is nothing to run.
try() {
  if ! "$@" >"$log" 2>&1; then
    tail -n 5 "$log"
    say "cannot run here: $*"
    exit 0
  fi
}
run() { timeout --kill-after=60 "$limit" make --no-print-directory "$@"; }

case $target in
  package-test)
    try test "$(id -u)" -eq 0
    try unshare --mount --pid --fork --uts --ipc --net true
    try apt-get update
    try make deps-package deps-package-test package-tools
    ;;
  engines) try make opencode ;;
  trust) try make deps-trust ;;
esac

say "begins"
from=$SECONDS
case $target in
  # The others write pages of docs; this is only to know that they still work.
  engines) run engines AGENTS=opencode WRITE= ;;
  *) run "$target" WRITE= ;;
esac
code=$?
took=$((SECONDS - from))
case $code in
  0) say "ok in $took s" ;;
  124 | 137) say "stopped after $took s, without a failure until then" ;;
  *)
    say "FAILED after $took s"
    exit 1
    ;;
esac
