#!/usr/bin/env bash
# need.sh PROGRAM... stops with one clear line if a program is missing that deps.sh does not install.
set -eu
for program in "$@"; do
  if command -v "$program" >/dev/null; then
    [ "$program" = node ] || continue
    version=$(node --version)
    major=${version#v}
    [ "${major%%.*}" -lt 20 ] || continue
    echo "node is $version, too old: install Node.js 20 or newer, with npm, from https://nodejs.org/ and run make again." >&2
    exit 1
  fi
  case $program in
    go) hint="Go $(sed -n 's/^go //p' go.mod) or newer from https://go.dev/dl/" ;;
    node | npm) hint="Node.js 20 or newer, with npm, from https://nodejs.org/" ;;
    *) hint="it with your package manager" ;;
  esac
  echo "$program is missing: install $hint and run make again." >&2
  exit 1
done
