#!/usr/bin/env bash
# mirror.sh tells whether the mirror of Debian that package-test uses answers, as apt asks it.
set -eu
suite=${SUITE:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
/usr/lib/apt/apt-helper download-file "http://deb.debian.org/debian/dists/$suite/InRelease" "$to/InRelease"
