#!/usr/bin/env bash
# unit.sh PACKAGE...: the Go tests with the race detector, in an empty home. Tests
# start real shells and browsers: those must not run the developer's own profile.
set -eu
home=$(mktemp -d)
trap 'chmod -R u+w "$home" && rm -rf "$home"' EXIT
for name in GOCACHE GOMODCACHE GOPATH GOENV; do
  export "$name=$(go env "$name")"
done
# Every program that the race detector was built into sleeps a second before it ends,
# and the command line's tests start hundreds.
export GORACE="atexit_sleep_ms=0 ${GORACE-}"
# One goroutine and much to compute: the race detector finds nothing there and takes five to fifteen times as long.
alone='^(TestText_UsesTheGlossary|TestRestore_AnyChanges_AreUndoneAndRedone)$'
HOME=$home go test -race -shuffle=on -timeout 15m -skip "$alone" "$@"
HOME=$home go test -run "$alone" . ./backend/snapshot
