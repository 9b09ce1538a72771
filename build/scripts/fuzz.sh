#!/usr/bin/env bash
# fuzz.sh TIME [PACKAGE...]: each fuzz test of the packages for so long. An input
# that fails is kept in the package's testdata/fuzz, where every later run tries it.
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
    if said=$(HOME=$home go test "$package" -run '^$' -fuzz "^$name\$" -fuzztime "$time" 2>&1 </dev/null); then
      echo "$said" | tail -n 1
    # Go takes an input that is still running when the time is over for a failure, and keeps none.
    elif grep -q 'context deadline exceeded' <<<"$said" && ! grep -q 'Failing input' <<<"$said"; then
      echo "ok (the time was over in the middle of an input)"
    else
      echo "$said"
      exit 1
    fi
  done
done
