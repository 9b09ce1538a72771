#!/usr/bin/env bash
# need.sh PROGRAM... stops with one clear line if a program is missing that deps.sh does not install, or is too old:
# Debian 12 and Ubuntu 24.04 have an older Go, and an older Node.js or one without npm.
set -eu
node=20
go=$(sed -n 's/^go //p' go.mod)

# version PROGRAM prints the version of an installed program, and hint PROGRAM where to get another.
version() {
  case $1 in
    go) GOTOOLCHAIN=local go env GOVERSION | sed 's/^go//' ;;
    node) node --version | sed 's/^v//' ;;
  esac
}
hint() {
  case $1 in
    go) echo "Go $go or newer from https://go.dev/dl/" ;;
    node | npm) echo "Node.js $node or newer, with npm, from https://nodejs.org/" ;;
    *) echo "it with your package manager" ;;
  esac
}
stop() {
  echo "$1: install $(hint "$2") and run make again." >&2
  exit 1
}

for program in "$@"; do
  command -v "$program" >/dev/null || stop "$program is missing" "$program"
  case $program in
    go)
      wanted=$go
      # Go 1.21 and newer download the toolchain that go.mod names, unless the user forbids it.
      if [ "$(go env GOTOOLCHAIN 2>/dev/null)" != local ]; then wanted=1.21; fi
      ;;
    node) wanted=$node ;;
    *) continue ;;
  esac
  have=$(version "$program" 2>/dev/null || true)
  oldest=$(printf '%s\n%s\n' "$wanted" "${have:-0}" | sort -V | head -n 1)
  [ "$oldest" = "$wanted" ] || stop "$program is ${have:-unusable}, too old" "$program"
done
