#!/usr/bin/env bash
# package-test.sh VERSION does with the .deb in dist/ what a user does on a clean Debian. It installs the package as
# root, upgrades it from an earlier version that has data, starts it as an ordinary user, runs the demonstration goal,
# and removes it. PREVIOUS=COMMIT or OLD_DEB=FILE selects the version to upgrade from, SUITE=NAME another Debian. Only
# apt contacts other machines; the programs run without a network. The script needs root to create the clean root.
set -eu
cd "$(dirname "$0")/../.."
version=$1
if [ "$(id -u)" -ne 0 ]; then
  echo "package-test.sh: making and entering a clean root needs root: sudo make package-test" >&2
  exit 1
fi
# The latest tag. Before the first one, the present commit with a lower number: no other commit has the same data.
previous=${PREVIOUS:-$(git describe --tags --match 'v[0-9]*' --abbrev=0 HEAD~ 2>/dev/null || true)}
number=()
[ -n "$previous" ] || number=(VERSION=0.0.1)
previous=${previous:-$(git rev-parse HEAD)}
suite=${SUITE:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
work=$(mktemp -d)
root=$work/root
trap 'chmod -R u+w "$work/source" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
out=$PWD/e2e/out
mkdir -p "$out"

step() { printf '\n== %s\n' "$*"; }
as_root() { build/scripts/in-root.sh "$root" "$@"; }
# Runs a command as the ordinary user "newcomer", without a network.
as_user() {
  OFFLINE=1 build/scripts/in-root.sh "$root" runuser -u newcomer -- env -u XDG_RUNTIME_DIR HOME=/home/newcomer \
    USER=newcomer PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 NO_AT_BRIDGE=1 "$@"
}
fail() {
  echo "package-test.sh: $*" >&2
  exit 1
}
# Without the network in the middle, the packages are not to blame. longtoday.sh looks for these words.
fail_in_apt() { # WHAT, with the output in apt.log
  cat "$work/apt.log" >&2
  if grep -qE 'Failed to fetch|Temporary failure|Could not (connect|resolve)|Unable to connect' "$work/apt.log"; then
    fail "cannot run here: a mirror of Debian does not answer"
  fi
  fail "$1"
}

old=${OLD_DEB-}
if [ -z "$old" ]; then
  step "the previous version, of commit ${previous:0:10}"
  git clone -q . "$work/source"
  git -C "$work/source" checkout -q "$previous"
  mkdir "$work/source/.tools"
  cp .tools/nfpm-* .tools/cyclonedx-gomod-* "$work/source/.tools/"
  ONLY_DEB=1 make --no-print-directory -C "$work/source" package "${number[@]}" >"$work/previous.log" 2>&1 || {
    tail -n 40 "$work/previous.log" >&2
    fail "the previous version cannot be built"
  }
  old=$(echo "$work"/source/dist/goalpost_*.deb)
fi
new=$(echo dist/goalpost_*.deb)
echo "$(basename "$old") -> $(basename "$new")"
dpkg --compare-versions "$(dpkg-deb -f "$old" Version)" lt "$(dpkg-deb -f "$new" Version)" ||
  fail "dpkg does not take the previous version as older"

step "what lintian says"
# The reasons for the suppressed tags: The maintainer's address is a placeholder. The helper is static, because it
# starts before a sandbox has libraries. The two programs contain the path of dpkg's lock because error messages
# mention it. Go does not link position-independent programs by default.
explained=bogus-mail-host,bogus-mail-host-in-debian-changelog,root-in-contact
explained+=,statically-linked-binary,uses-dpkg-database-directly,hardening-no-pie
lintian --allow-root --fail-on error,warning --suppress-tags $explained "$new" ||
  fail "lintian found something"
echo "nothing but what is explained here"

step "a clean $suite"
mmdebstrap --quiet --variant=minbase --mode=root "$suite" "$root" http://deb.debian.org/debian >"$work/apt.log" 2>&1 ||
  fail_in_apt "a clean root cannot be made"
cp "$old" "$root/root/old.deb"
cp "$new" "$root/root/new.deb"
as_root useradd --create-home --shell /bin/bash newcomer

step "the static goalctl, in a system without any library for it"
unpack() { # ARCHIVE: into the newcomer's folder unpacked
  mkdir "$root/home/newcomer/unpacked"
  tar -xzf "$1" -C "$root/home/newcomer/unpacked" --strip-components=1 --no-same-owner
}
unpack "dist/goalctl-$version-linux-$(dpkg --print-architecture).tar.gz"
[ "$(as_user /home/newcomer/unpacked/goalctl version)" = "goalctl $version" ] || fail "it has another version"
as_user bash -c 'cd; mkdir inside; unpacked/goalctl sandbox --dir inside -- sh -c "id -un >who; ls -A ~ | wc -l"'
[ "$(cat "$root/home/newcomer/inside/who")" = newcomer ] || fail "its sandbox did not run a program"
# The data is removed, too, because the previous version could not open it.
rm -r "$root"/home/newcomer/{unpacked,inside,.local}

step "the package alone, with what it depends on and nothing more"
as_root apt-get update -qq >"$work/apt.log" 2>&1 || fail_in_apt "apt-get update fails"
as_root apt-get install -qq -y --no-install-recommends /root/new.deb >"$work/apt.log" 2>&1 ||
  fail_in_apt "it cannot be installed"
as_user goalctl version
as_user goalpost version --json
[ "$(as_user goalctl version)" = "goalctl $version" ] || fail "goalctl has another version than $version"
for program in goalpost goalctl; do
  if as_root ldd /usr/bin/$program | grep 'not found'; then fail "$program lacks a library"; fi
done
grep -o '](docs/[^)#]*' README.md | cut -c 3- >"$work/linked"
while read -r page; do
  [ -e "$root/usr/share/doc/goalpost/$page" ] || fail "the installed README links to $page, which is not installed"
done <"$work/linked"
unpack "dist/goalpost-$version-linux-$(dpkg --print-architecture).tar.gz"
[ "$(as_user /home/newcomer/unpacked/bin/goalpost version)" = "goalpost $version" ] ||
  fail "the window of the archive does not start"
rm -r "$root/home/newcomer/unpacked"
as_root apt-get purge -qq -y goalpost >/dev/null

step "the previous version, with Chromium and a display"
as_root apt-get install -qq -y --no-install-recommends chromium xvfb xdotool x11-apps desktop-file-utils \
  libglib2.0-bin bash-completion procps fonts-dejavu-core /root/old.deb >"$work/apt.log" 2>&1 ||
  fail_in_apt "it cannot be installed"
as_user goalctl version

step "the first verified goal of the previous version, as an ordinary user without a network"
as_user goalctl run --demo 2>&1 | tail -n 12
old_goal=$(as_user goalctl list --json | sed -n 's/^ *"id": "\(.*\)",/\1/p')
[ ${#old_goal} = 26 ] || fail "there should be one goal: $old_goal"

step "data of the previous version: a goal that it did not finish, a provider, a secret, an MCP server and a setting"
as_user bash -c '
  cd
  goalctl run --demo >interrupted.log 2>&1 &
  until grep -q "wrote index.html" interrupted.log; do kill -0 $! || exit 1; sleep 0.05; done
  kill -TERM $!
  wait $! || [ $? = 8 ]
  rm interrupted.log
' || fail "the goal was not interrupted"
half_goal=$(as_user goalctl list --json | sed -n 's/^ *"id": "\(.*\)",/\1/p' | grep -v "$old_goal")
[ ${#half_goal} = 26 ] || fail "there should be one more goal: $half_goal"
as_user goalctl show "$half_goal" | grep -q 'paused interrupted' || fail "the second goal is not interrupted"
as_user goalctl providers add office --base-url http://127.0.0.1:9/v1 --model qwen3 --use
as_user bash -c 'echo value-of-the-old-version | goalctl secret set deploy-key'
as_user goalctl mcp servers add notes -- notes-mcp --folder .
settings=$root/home/newcomer/.local/state/goalpost/settings.json
sed -i 's/"approval_minutes": 10,/"approval_minutes": 25,/' "$settings"

step "upgrade"
as_root apt-get install -qq -y /root/new.deb >"$work/apt.log" 2>&1 || fail_in_apt "it cannot be upgraded"
[ "$(as_user goalctl version)" = "goalctl $version" ] || fail "goalctl was not upgraded"
# A command that only reads changes nothing: doctor or the window migrates a journal with an older schema.
as_user goalctl list || echo "(refused as expected, until doctor has run)"
as_user goalctl doctor | cut -c1-150
as_user goalctl list
as_user goalctl show "$old_goal" | grep -q 'completed done' || fail "the goal of the previous version is gone"
as_user goalctl receipt "$old_goal" | head -n 3
as_user goalctl providers list --json | grep -q '"id": "office"' || fail "the provider is gone"
as_user goalctl secret list --json | grep -q '"deploy-key"' || fail "the secret is gone"
as_user goalctl mcp servers list --json | grep -q '"notes-mcp"' || fail "the MCP server is gone"
as_user goalctl mcp servers remove notes # this writes the settings file
grep '"approval_minutes": 25,' "$settings" || fail "the setting is gone"
# The host process of the previous version keeps running, if that version had one. The refusal names the command that ends it.
if as_user goalctl host status; then
  refusal=$(as_user goalctl resume "$half_goal" 2>&1 || true)
  [[ $refusal == *'goalctl host stop'* ]] || fail "an older host is not named: $refusal"
  as_user goalctl host stop --yes
fi
as_user goalctl resume "$half_goal" 2>&1 | tail -n 12
as_user goalctl show "$half_goal" | grep -q 'completed done' || fail "the new version did not finish the old goal"
as_user goalctl undo "$half_goal" --dry-run

step "the window, and the demonstration goal in it"
cp build/scripts/window-in-root.sh "$root/usr/local/bin/"
as_user window-in-root.sh "$old_goal" 3 || {
  cp "$root"/home/newcomer/window.xwd "$out/package-window.xwd" 2>/dev/null || true
  fail "the window did not do it (picture: $out/package-window.xwd)"
}
cp "$root/home/newcomer/window.xwd" "$out/package-window.xwd"
rm -f "$root/home/newcomer/window.xwd" "$root/usr/local/bin/window-in-root.sh"

step "completions and man pages are where shells and man look"
as_user bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader goalctl; complete -p goalctl'
as_user goalctl __complete show '' 2>/dev/null | head -n 1 | grep -q 'completed/done' || fail "no goal id completes"
as_root sh -c 'gzip -t /usr/share/man/man1/goalctl.1.gz /usr/share/man/man1/goalpost.1.gz'

step "removal"
if as_user goalctl host status; then as_user goalctl host stop --yes; fi
as_root apt-get purge -qq -y goalpost >/dev/null
# The logs of dpkg and apt may mention the package, but no other file may.
left=$(cd "$root" && find . -path ./proc -prune -o -path ./home -prune -o \
  \( -iname '*goalpost*' -o -iname '*goalctl*' \) -print)
[ -z "$left" ] || fail "removal leaves: $left"
left=$(cd "$root" && grep -rlE 'goalpost|goalctl' etc usr/share/applications var/lib/dpkg/info var/lib/dpkg/status \
  var/lib/dpkg/alternatives usr/share/mime usr/share/icons 2>/dev/null) || true
[ -z "$left" ] || fail "removal leaves words in: $left"
echo "nothing outside of the user's home"
(cd "$root/home/newcomer" && find . -iname '*goalpost*' -prune -print | sort)
left=$(cd "$root/home/newcomer" && find . -iname '*goalpost*' -prune -print | sort | tr '\n' ' ')
want="./.cache/goalpost ./.local/share/goalpost ./.local/state/goalpost ./Goalpost "
[ -z "${left//$want/}" ] || fail "in the home there is $left, and docs/how-to/packages.md names $want"
[ -d "$root/home/newcomer/.local/state/goalpost" ] || fail "removal took the user's data"

if command -v rpm >/dev/null; then
  step "what the .rpm says"
  rpm -qp --nosignature --requires dist/goalpost-*.rpm
  rpm -qp --nosignature --list dist/goalpost-*.rpm | grep -c . | sed 's/$/ files/'
fi
echo
echo "package-test: installed, upgraded with data, used and removed" \
  "($(basename "$old") -> $(basename "$new") on $suite)"
