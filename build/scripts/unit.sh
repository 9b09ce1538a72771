#!/usr/bin/env bash
# unit.sh [-race] [-part N/ALL] PACKAGE... runs the Go tests in an empty home, because tests start real shells and
# browsers, which must not use the developer's own profiles. -race adds the race detector. -part tests the Nth of ALL
# parts of the packages.
set -eu
export TEST_SLOWNESS=${TEST_SLOWNESS:-$(go run build/scripts/slowness.go)} # multiplies the tests' limits
home=$(mktemp -d)
trap 'chmod -R u+w "$home" && rm -rf "$home"' EXIT
for name in GOCACHE GOMODCACHE GOPATH GOENV; do
  export "$name=$(go env "$name")"
done
# Tests for which Chromium is only a means use the headless shell if it is there: it has no window, whose parts cost as
# much as the page. The tests of panes/browser and of what a page may reach use the Chromium that users have, and with
# the race detector all do.
TEST_CHROMIUM=$(type -P chromium-headless-shell || true)
race=()
at_once=$(($(getconf _NPROCESSORS_ONLN) + 2))
if [ "$1" = -race ]; then
  shift
  TEST_CHROMIUM=
  # These tests compute a lot in one goroutine, where the race detector finds nothing and makes them five to fifteen
  # times slower. Other tests run the same code with it.
  computing='^(TestRestore_AnyChanges_AreUndoneAndRedone|TestRestore_NotRoot_BringsBackWhatItMayRead'
  computing+='|TestTools_HostileArguments_HaveNoEffect|TestTools_HugeResults_AreBounded'
  computing+='|TestPrompt_HostileAgent_IsBounded|TestStream_Endless_IsBounded|TestCalls_HugeArguments_AreReplaced'
  computing+='|TestKill_AtARandomMoment_LosesNothing|TestParse_GeneratedDefinitions_AreAcceptedAndNeverStricter)$'
  race=(-race -skip "$computing")
  at_once=$((at_once - 1)) # with the race detector, tests compute more than they wait
  # A program with the race detector sleeps a second before it ends, and the command line's tests start hundreds.
  export GORACE="atexit_sleep_ms=0 ${GORACE-}"
fi
export TEST_CHROMIUM
part=0 parts=1
if [ "$1" = -part ]; then
  part=$((${2%/*} - 1)) parts=${2#*/}
  shift 2
fi
# Most packages wait for programs, pages and commits more than they compute, so testing two more packages than there
# are processors keeps the processors busy. `make lint` has already vetted the packages. With -trimpath, cached builds
# of another checkout can be reused. The longest packages begin first, so that none of them runs alone at the end.
listed=$(go list "$@") # not in a process substitution, whose failure would be lost
mapfile -t all <<<"$listed"
longest=(backend/panes/browser backend/app/transcript backend/app backend/host/sandbox backend/entry/cli)
mapfile -t first < <(for name in "${longest[@]}"; do printf '%s\n' "${all[@]}" | grep -x "[^/]*/$name"; done)
mapfile -t rest < <(printf '%s\n' "${all[@]}" | grep -vxF "$(printf '%s\n' "${first[@]}")")
packages=()
all=("${first[@]}" "${rest[@]}")
for ((i = part; i < ${#all[@]}; i += parts)); do
  packages+=("${all[i]}")
done
measured=()
if [ -n "${TEST_TIMES-}" ]; then # set by make test-times
  measured=(-json -exec "$TEST_TIMES_PROGRAM test $TEST_TIMES -")
  exec > >("$TEST_TIMES_PROGRAM" failures)
fi
HOME=$home go test ${measured[@]+"${measured[@]}"} -trimpath ${race[@]+"${race[@]}"} -vet=off -p "$at_once" \
  -shuffle=on -timeout "$((15 * TEST_SLOWNESS))m" "${packages[@]}"
