#!/usr/bin/env bash
# stages.sh TARGET... makes one target after another, prints how long each took, and stops at the first that fails.
set -u
# The parent's flags would make the stages share its job server.
unset MAKEFLAGS MFLAGS

TEST_SLOWNESS=${TEST_SLOWNESS:-$(go run build/scripts/slowness.go)} || exit 1
export TEST_SLOWNESS # multiplies the limits of the tests of all stages

took=()
all=$SECONDS
for stage in "$@"; do
  printf '\n=== %s\n' "$stage"
  from=$SECONDS
  measured=()
  [ -z "${TEST_TIMES-}" ] || measured=("$TEST_TIMES_PROGRAM" stage "$TEST_TIMES" "$stage") # set by make test-times
  if ! ${measured[@]+"${measured[@]}"} make --no-print-directory "$stage"; then
    echo
    [ ${#took[@]} -eq 0 ] || printf '%s\n' "${took[@]}"
    printf 'FAILED: make %s (after %d s). Run it alone to see only this.\n' "$stage" $((SECONDS - from)) >&2
    exit 1
  fi
  took+=("$(printf 'ok  %-10s %4d s' "$stage" $((SECONDS - from)))")
done
echo
printf '%s\n' "${took[@]}"
printf 'ok  %-10s %4d s\n' all $((SECONDS - all))
