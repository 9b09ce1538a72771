#!/usr/bin/env bash
# fuzz.sh TIME [PACKAGE...] runs each fuzz test of the packages for the given time. Go saves an input that fails in the
# package's testdata/fuzz, and every later run of the test uses it.
set -eu
time=$1
shift
[ $# -gt 0 ] || set -- ./backend/...
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for name in GOCACHE GOMODCACHE GOPATH GOENV; do
  export "$name=$(go env "$name")"
done
go list -f '{{.Dir}} {{.ImportPath}}' "$@" | while read -r dir package; do
  names=$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$dir"/*_test.go 2>/dev/null || true)
  for name in $names; do
    echo "=== $package $name"
    if output=$(HOME=$home go test "$package" -run '^$' -fuzz "^$name\$" -fuzztime "$time" 2>&1 </dev/null); then
      echo "$output" | tail -n 1
    # If an input is still running when the time is over, Go reports a failure but saves no input.
    elif grep -q 'context deadline exceeded' <<<"$output" && ! grep -q 'Failing input' <<<"$output"; then
      echo "ok (the time was over in the middle of an input)"
    else
      echo "$output"
      exit 1
    fi
  done
done
