#!/usr/bin/env bash
# together.sh TARGET... makes several targets at once. It prints the output of each target when the target has ended,
# and fails if any of them failed.
set -u
# The parent's flags would make the targets share its job server.
unset MAKEFLAGS MFLAGS

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pids=()
for target in "$@"; do
  make --no-print-directory "$target" >"$work/$target" 2>&1 &
  pids+=("$!")
done
failed=()
for i in "${!pids[@]}"; do
  wait "${pids[i]}" || failed+=("${*:i+1:1}")
  cat "$work/${*:i+1:1}"
done
[ ${#failed[@]} -eq 0 ] || {
  printf 'FAILED: make %s\n' "${failed[*]}" >&2
  exit 1
}
