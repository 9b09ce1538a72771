#!/usr/bin/env bash
# cover.sh prints how much of runner and verify their own tests and the transcripts execute. The child processes of the
# crash test are not counted.
set -eu
profile=$(mktemp)
output=$(mktemp)
trap 'rm -f "$profile" "$output"' EXIT
go test -short -coverpkg=./backend/core/runner,./backend/core/verify/... -coverprofile="$profile" \
  ./backend/core/runner/... ./backend/core/verify/... ./backend/app/transcript >"$output" || { cat "$output"; exit 1; }
for package in runner verify; do
  # The profile has each block once for each test program. It is covered if any of them ran it.
  awk -v package="goalpost/backend/core/$package/" '
    index($1, package) == 1 { statements[$1] = $2; if ($3 > 0) ran[$1] = 1 }
    END {
      for (block in statements) { all += statements[block]; if (block in ran) covered += statements[block] }
      printf "backend/core/%-8s %5.1f %% of %d statements\n", name, 100 * covered / all, all
    }' name="$package" "$profile"
done
