#!/usr/bin/env bash
# nodetests.sh AT_ONCE FILE... runs test files of Node in as many processes as AT_ONCE says. The files of a process run
# one after the other and share what is dear to start: Node, Playwright and Chromium. The files are dealt out in turn,
# so the longest should come first. For make test-times each file runs in a process of its own, which is measured.
set -eu
at_once=$1
shift
export TEST_SLOWNESS=${TEST_SLOWNESS:-$(go run build/scripts/slowness.go)} # multiplies the tests' limits
if [ -n "${TEST_TIMES-}" ]; then
  for file in "$@"; do
    "$TEST_TIMES_PROGRAM" test "$TEST_TIMES" "$file" node --test-reporter=tap "$file" >"$TEST_TIMES.tap" || {
      cat "$TEST_TIMES.tap"
      exit 1
    }
  done
  exit 0
fi
pids=()
for ((n = 0; n < at_once; n++)); do
  files=()
  for ((i = n; i < $#; i += at_once)); do
    files+=("${*:i+1:1}")
  done
  node --test-reporter=spec e2e/lib/run.mjs "${files[@]}" &
  pids+=("$!")
done
failed=0
for pid in "${pids[@]}"; do
  wait "$pid" || failed=1
done
exit $failed
