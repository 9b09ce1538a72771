#!/usr/bin/env bash
# reproducible.sh VERSION builds the packages again from a fresh clone of the current commit, in another folder, with
# its own npm packages and an empty build cache, and compares each file with dist/. If they differ, the second build
# stays in dist/.again.
set -eu
cd "$(dirname "$0")/../.."
version=$1
if [ -n "$(git status --porcelain)" ]; then
  echo "reproducible.sh: there are changes that are not committed, and the second build is of a commit:" \
    "commit them first" >&2
  exit 1
fi
again=$(mktemp -d)
trap 'chmod -R u+w "$again"; rm -rf "$again"' EXIT
git clone -q . "$again/source"
mkdir "$again/source/.tools"
cp .tools/nfpm-* .tools/cyclonedx-gomod-* "$again/source/.tools/" # these do not affect the compiled code
GOCACHE=$again/cache make --no-print-directory -C "$again/source" package VERSION="$version" >"$again/log" 2>&1 || {
  tail -n 40 "$again/log" >&2
  exit 1
}
cmp dist/SHA256SUMS "$again/source/dist/SHA256SUMS" || {
  diff dist/SHA256SUMS "$again/source/dist/SHA256SUMS" >&2 || true
  mv "$again/source/dist" dist/.again
  echo "reproducible.sh: two builds of $version differ; the second one is in dist/.again" >&2
  exit 1
}
(cd dist && sha256sum --check --quiet SHA256SUMS) && (cd "$again/source/dist" && sha256sum --check --quiet SHA256SUMS)
echo "Two builds of $version have the same bytes:"
sed 's/^/  /' dist/SHA256SUMS
