#!/usr/bin/env bash
# ordinary.sh runs the tests that depend on the user (sandbox, browser, keyring and desktop, and the newcomer's path
# from the first start to a verified goal) a second time as an ordinary user, and prints how many ran as which user. It
# does nothing for an ordinary user: make unit and make e2e have run them.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then
  echo "All tests ran as $(id -un) (uid $(id -u)), an ordinary user. Those of sandbox, browser and keyring were not run" \
    "as root."
  exit 0
fi
export TEST_SLOWNESS=${TEST_SLOWNESS:-$(go run build/scripts/slowness.go)} # multiplies the tests' limits
user=nobody # a session bus needs a user with a name
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/home" "$work/tmp" "$work/source"
# The tests run in a copy, because the ordinary user may have no access to the checkout.
git ls-files -z backend cmd go.mod go.sum | tar --null -T - -cf - | tar -xf - -C "$work/source"
cp backend/host/sandbox/embed/goalpost-helper "$work/"
chown -R $user: "$work"

# TestOrdinaryUser_SandboxTests_Pass runs these itself.
again=$(sed -n '/^const sandboxTests = /,/)"$/p' backend/host/sandbox/user_linux_test.go | grep -o '"[^"]*"' | tr -d '"\n')
total=0
# run FOLDER FLAG VALUE runs the tests of a package below backend that the flag selects.
run() {
  local folder=backend/$1 package=${1##*/} flag=$2 value=$3 all ran more=0 words=
  local log=$work/$package.log
  # Linking with debug data takes four times as long.
  go test -trimpath -ldflags=-w -c -o "$work/$package.test" "./$folder"
  if ! (cd "$work/source/$folder" && setpriv --reuid $user --regid "$(id -g $user)" --clear-groups \
    --inh-caps=-all env -i PATH="$PATH" HOME="$work/home" TMPDIR="$work/tmp" LANG="${LANG:-C.UTF-8}" \
    TEST_SLOWNESS="$TEST_SLOWNESS" SANDBOX_TEST_HELPER="$work/goalpost-helper" \
    "$work/$package.test" "$flag" "$value" -test.timeout "$((5 * TEST_SLOWNESS))m" -test.v) >"$log" 2>&1; then
    grep -vE '^=== |^ *--- (PASS|SKIP)' "$log" | tail -n 60 >&2
    echo "ordinary.sh: the tests of $folder fail as $user" >&2
    exit 1
  fi
  all=$("$work/$package.test" -test.list '^Test' | grep -vc '^TestMain$' || true)
  ran=$(grep -c '^--- PASS: Test' "$log" || true)
  if [ "$package" = sandbox ]; then
    more=$("$work/$package.test" -test.list "$again" | grep -c '^Test' || true)
    words=", $more of them in TestOrdinaryUser_SandboxTests_Pass"
  fi
  if [ "$ran" -eq 0 ]; then
    echo "ordinary.sh: no test of $folder ran as $user" >&2
    exit 1
  fi
  printf '  %-23s %4d as root (make unit), %4d as %s%s; skipped: %s\n' "$folder" "$all" $((ran + more)) $user \
    "$words" "$(sed -n 's/^--- SKIP: \([A-Za-z0-9_]*\).*/\1/p' "$log" | paste -sd' ' | sed 's/^$/none/')"
  total=$((total + ran + more))
}
run host/sandbox -test.skip "$again"
pages='^(TestOpen_Page_IsShown|TestClick_EveryTarget_IsHit|TestScreenshot_VisibleOrFullPage_HasItsSize'
pages+='|TestChromium_Ends_IsRestarted|TestDownloads_SameName_GetsANumber|TestPermission_UserAllows_IsGranted)$'
run panes/browser -test.run "$pages"
run storage/secret -test.run .
run host/notify -test.run .

# The newcomer's path: the first start, a pasted key and the first verified goal, in Chromium with its own sandbox.
git ls-files -z e2e/connect.test.mjs e2e/lib e2e/window/window.mjs frontend/package.json |
  tar --null -T - -cf - | tar -xf - -C "$work/source"
mkdir -p "$work/source/bin" "$work/source/frontend/node_modules" "$work/source/e2e/out"
cp bin/goalctl "$work/source/bin/"
cp -R frontend/node_modules/playwright-core "$work/source/frontend/node_modules/"
chown -R $user: "$work/source"
log=$work/newcomer.log
if ! (cd "$work/source" && setpriv --reuid $user --regid "$(id -g $user)" --clear-groups --inh-caps=-all \
  env -i PATH="$PATH" HOME="$work/home" TMPDIR="$work/tmp" LANG="${LANG:-C.UTF-8}" TEST_SLOWNESS="$TEST_SLOWNESS" \
  node --test --test-reporter=tap e2e/connect.test.mjs) >"$log" 2>&1; then
  grep -v '^# Subtest' "$log" | tail -n 60 >&2
  mkdir -p e2e/out
  find "$work/source/e2e/out" -type f -exec cp {} e2e/out/ \;
  echo "ordinary.sh: the newcomer's path fails as $user (pictures: e2e/out)" >&2
  exit 1
fi
ran=$(sed -n 's/^# pass //p' "$log")
if [ "${ran:-0}" -eq 0 ]; then
  echo "ordinary.sh: no test of the newcomer's path ran as $user" >&2
  exit 1
fi
printf '  %-23s %4d as root (make e2e), %5d as %s; %s\n' "newcomer's path" "$ran" "$ran" $user \
  "$(sed -n 's/^ *# \(.* actions to the first verified goal\).*/\1/p' "$log")"
total=$((total + ran))
echo "$total tests of sandbox, browser, keyring and the newcomer's path ran as an ordinary user ($user), too."
