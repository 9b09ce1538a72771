#!/bin/sh
# WebKitWebDriver starts this script, which opens the window with WebKit's automation. The driver does not report which
# process it started, so the script stores its pid.
echo $$ >"$SMOKE_PID_FILE"
LD_PRELOAD="$SMOKE_AUTOMATION" exec "$SMOKE_PROGRAM" "$@"
