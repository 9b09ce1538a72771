#!/usr/bin/env bash
# cover.sh: how much of the engine its own tests and the transcripts execute. The
# crash test's children are processes of their own and are not counted.
set -eu
profile=$(mktemp)
said=$(mktemp)
trap 'rm -f "$profile" "$said"' EXIT
go test -short -coverpkg=./backend/runner,./backend/verify/... -coverprofile="$profile" \
  ./backend/runner/... ./backend/verify/... ./backend/app/transcript >"$said" || { cat "$said"; exit 1; }
for package in runner verify; do
  # A block is in the profile once for each test program: it is covered if any of them ran it.
  awk -v package="goalpost/backend/$package/" '
    index($1, package) == 1 { statements[$1] = $2; if ($3 > 0) ran[$1] = 1 }
    END {
      for (block in statements) { all += statements[block]; if (block in ran) covered += statements[block] }
      printf "backend/%-8s %5.1f %% of %d statements\n", name, 100 * covered / all, all
    }' name="$package" "$profile"
done
