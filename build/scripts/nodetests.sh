#!/usr/bin/env bash
# nodetests.sh AT_ONCE FILE... runs test files of Node, some at once. For make test-times they run one after the other,
# and each is measured.
set -eu
at_once=$1
shift
[ -n "${TEST_TIMES-}" ] || exec node --test --test-concurrency="$at_once" "$@"
failed=0
for file in "$@"; do
  "$TEST_TIMES_PROGRAM" test "$TEST_TIMES" "$file" node --test-reporter=tap "$file" >"$TEST_TIMES.tap" || {
    cat "$TEST_TIMES.tap"
    failed=1
  }
done
exit $failed
