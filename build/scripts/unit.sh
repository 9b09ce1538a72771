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
# One goroutine and much to compute: the race detector finds nothing there and takes five to fifteen times as long. What
# tools do when they are called runs with it in the other tests of backend/tools. What processes that are killed do
# before and after runs with it in the transcripts and in the scripts of backend/cli.
alone='^(TestText_UsesTheGlossary|TestRestore_AnyChanges_AreUndoneAndRedone|TestHostileArguments'
alone+='|TestAKilledProcessLosesNothing)$'
# Most packages wait for programs, pages and commits more than they compute: one more than there are processors keeps
# these busy. `make vet` has looked at the packages already.
at_once=$(($(getconf _NPROCESSORS_ONLN) + 1))
HOME=$home go test -race -vet=off -p "$at_once" -shuffle=on -timeout 20m -skip "$alone" "$@"
HOME=$home go test -vet=off -p "$at_once" -run "$alone" . ./backend/snapshot ./backend/tools ./backend/app/transcript
