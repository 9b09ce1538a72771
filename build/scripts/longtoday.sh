#!/usr/bin/env bash
# longtoday.sh SECONDS runs one of the long targets and names its result. The date chooses it, so that six days run all;
# TARGET=NAME chooses another. SECONDS are for everything, also for what the target needs: with too few it is skipped, and
# after that time it is stopped. Neither is a failure, nor is a target that cannot run on this machine, for example
# without root, apt or a network.
set -u
unset MAKEFLAGS MFLAGS # of the parent
targets=(package-test engines trust crash leaks faults)
target=${TARGET:-${targets[$(($(date +%s) / 86400 % ${#targets[@]}))]}}
limit=$1
least=300 # seconds in which a target can show something
log=$(mktemp)
run=
trap 'rm -f "$log"' EXIT
trap '[ -z "$run" ] || kill "$run"; exit 143' INT TERM # CI cancels

say() { printf '=== long target of the day, make %s: %s\n' "$target" "$*"; }
left() { echo $((limit - SECONDS)); }
skip_without_time() {
  if [ "$(left)" -lt $least ]; then
    say "skipped: $(left) s are left, and it needs $least"
    exit 0
  fi
}
# try COMMAND... prepares the target; if that is not possible here, there is nothing to run.
try() {
  if ! timeout --kill-after=10 "$(left)" "$@" >"$log" 2>&1 </dev/null; then
    tail -n 5 "$log"
    say "cannot run here: $*"
    exit 0
  fi
}

skip_without_time
case $target in
  package-test)
    try test "$(id -u)" -eq 0
    try unshare --mount --pid --fork --uts --ipc --net true
    try grep -qx 'ID=debian' /etc/os-release # it makes a clean root of the same suite
    try make deps-package deps-package-test package-tools
    try build/scripts/mirror.sh
    ;;
  engines) try make opencode ;;
  trust) try make deps-trust ;;
esac
skip_without_time

TEST_SLOWNESS=${TEST_SLOWNESS:-$(go run build/scripts/slowness.go)} || exit 1
export TEST_SLOWNESS # multiplies the limits of the tests
# What the others write to docs is not wanted.
goals=("$target" WRITE=)
[ "$target" != engines ] || goals+=(AGENTS=opencode)
say "begins, for at most $(left) s"
from=$SECONDS
: >"$log"
timeout --kill-after=60 "$(left)" make --no-print-directory "${goals[@]}" >>"$log" 2>&1 </dev/null &
run=$!
tail -n +1 -f --pid=$run "$log" # not a pipe: programs that the target leaves would keep it open
wait $run
code=$?
took=$((SECONDS - from))
missing=$(grep -am 1 'cannot run here: ' "$log")
if [ $code -eq 0 ]; then
  say "ok in $took s"
elif grep -aqE '^ *--- FAIL: ' "$log"; then
  say "FAILED after $took s"
  exit 1
elif [ $code -eq 124 ] || [ $code -eq 137 ]; then
  say "stopped after $took s, without a failure until then"
elif [ -n "$missing" ]; then
  say "$missing"
else
  say "FAILED after $took s"
  exit 1
fi
