#!/usr/bin/env bash
# sandbox-profile.sh lets a Goalpost that you built make its sandbox on Ubuntu 23.10 and newer, which deny user
# namespaces to programs without an AppArmor profile. The packages bring one for their own helper; this one is for the
# helper that a built program puts into your data folder. With --print it only shows the profile.
set -eu
cd "$(dirname "$0")/../.."
state=${XDG_STATE_HOME:-$HOME/.local/state}
name=goalpost-helper-of-$(id -un)
profile=$(sed -e '/^#/d' -e "s|goalpost-helper /usr/lib/goalpost/goalpost-helper|$name $state/goalpost/goalpost-helper-*|" \
  build/package/apparmor/goalpost-helper)
if [ "${1-}" = --print ]; then
  echo "$profile"
  exit 0
fi
if [ "$(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2>/dev/null)" != 1 ]; then
  echo "This system lets every program make user namespaces: nothing to do."
  exit 0
fi
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
echo "This writes /etc/apparmor.d/$name and loads it:"
echo "$profile"
echo "$profile" | "${as_root[@]}" tee "/etc/apparmor.d/$name" >/dev/null
"${as_root[@]}" apparmor_parser -r "/etc/apparmor.d/$name"
echo "Loaded. bin/goalctl doctor shows whether the sandbox works now."
