#!/bin/bash
# window-in-root.sh OLD_GOAL NUMBER is the part of package-test.sh that an ordinary user runs in the clean root. It
# starts the window, runs the demonstration goal with the keyboard until NUMBER goals are done, and opens the address of
# OLD_GOAL.
set -eu
old_goal=$1
number_done=$2
cd
mkfifo /tmp/display
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>/tmp/display 2>/dev/null &
read -r number </tmp/display
export DISPLAY=:$number

# until_true WHAT COMMAND... polls, where nothing signals the change.
until_true() {
  local what=$1 tries
  shift
  for ((tries = 0; tries < 600; tries++)); do
    if "$@"; then return 0; fi
    sleep 0.2
  done
  echo "$what did not happen" >&2
  xwd -root -silent >window.xwd
  return 1
}
done_goals() { [ "$(goalctl list --json | grep -c '"exit": "done"')" -ge "$1" ]; }
running_goals() { goalctl list --json | grep -q '"status": "running"'; }

goalpost >window.log 2>&1 &
window=$!
id=$(timeout 120 xdotool search --sync --onlyvisible --pid $window --name Goalpost | head -n 1)
echo "the window is open: $(xdotool getwindowname "$id")"
demo_starts() {
  xdotool mousemove --window "$id" 400 400 key --window "$id" Escape
  xdotool key ctrl+shift+p
  sleep 0.5 # the palette has no signal that X shows
  xdotool type --delay 30 "demo"
  sleep 0.5
  xdotool key Return
  for ((n = 0; n < 25; n++)); do
    if running_goals || done_goals "$number_done"; then return 0; fi
    sleep 0.2
  done
  return 1
}
until_true "a demonstration goal from the keyboard" demo_starts
until_true "one more verified goal" done_goals "$number_done"
goalctl list
xwd -root -silent >window.xwd
[ "$(gio mime x-scheme-handler/goalpost | head -n 1 | grep -c goalpost-url.desktop)" = 1 ] ||
  { gio mime x-scheme-handler/goalpost; exit 1; }
# The desktop's handler is goalpost open, which says that it reached the window.
gio open "goalpost://goal/$old_goal" >opened.log 2>&1
until_true "the address in the open window" grep 'it is in front now' opened.log
rm opened.log
if goalpost open -- "goalpost://goal/$old_goal?abort=1"; then exit 1; fi
kill -TERM $window
wait $window || true
goalpost host stop --yes # it outlives the window
if grep -iE 'panic|fatal' window.log; then exit 1; fi
rm window.log
