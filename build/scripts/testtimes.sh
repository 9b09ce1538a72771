#!/usr/bin/env bash
# testtimes.sh TARGET... makes the stages of make test, measures what each stage, package and test takes, and writes the
# tables to docs/testing.md.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TEST_TIMES=$work/log TEST_TIMES_PROGRAM=$work/testtimes
go build -o "$TEST_TIMES_PROGRAM" build/scripts/testtimes.go
build/scripts/stages.sh "$@"
"$TEST_TIMES_PROGRAM" report "$TEST_TIMES" docs/testing.md
