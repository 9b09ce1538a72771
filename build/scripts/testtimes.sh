#!/usr/bin/env bash
# testtimes.sh TARGET... makes the stages of make test, measures what each stage, package and test takes, prints the
# tables and writes them to dist/test-times.md.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TEST_TIMES=$work/log TEST_TIMES_PROGRAM=$work/testtimes
go build -o "$TEST_TIMES_PROGRAM" build/scripts/testtimes.go
build/scripts/stages.sh "$@"
mkdir -p dist
"$TEST_TIMES_PROGRAM" report "$TEST_TIMES" | tee dist/test-times.md
