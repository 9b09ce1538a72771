#!/usr/bin/env bash
# Checks every shell script of the repository.
set -eu
scripts=(.ci/run build/scripts/*.sh)
for script in "${scripts[@]}"; do bash -n "$script"; done
if ! command -v shellcheck >/dev/null; then
  echo "shellcheck is missing: only the scripts' syntax was checked (make deps-test installs it)." >&2
  exit 0
fi
shellcheck "${scripts[@]}"
