#!/usr/bin/env bash
# version.sh prints the version of the build from the tags of git: 1.2.3 at the tag v1.2.3, 1.2.3+4.g0123abc four
# commits later, 0.1.0-dev.670+g0123abc before the first tag, with .dirty at the end if there are uncommitted changes.
set -u
cd "$(dirname "$0")/../.." || exit
described=$(git describe --tags --match 'v[0-9]*' --long --abbrev=8 --dirty 2>/dev/null) || described=
if [ -n "$described" ]; then
  dirty=
  [ "$described" = "${described%-dirty}" ] || dirty=dirty
  described=${described%-dirty}
  hash=${described##*-}
  described=${described%-*}
  since=${described##*-}
  tag=${described%-*}
  extra=
  [ "$since" = 0 ] || extra=$since.$hash
  [ -z "$dirty" ] || extra=${extra:+$extra.}dirty
  echo "${tag#v}${extra:++$extra}"
elif hash=$(git rev-parse --short=8 HEAD 2>/dev/null); then
  dirty=
  git diff --quiet HEAD 2>/dev/null || dirty=.dirty
  echo "0.1.0-dev.$(git rev-list --count HEAD)+g$hash$dirty"
else
  echo unversioned
fi
