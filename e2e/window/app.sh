#!/bin/sh
# Started by WebKitWebDriver: the window with the automation in front of WebKit.
# The driver does not say which process it started, so it is written down here.
echo $$ >"$SMOKE_PID_FILE"
LD_PRELOAD="$SMOKE_AUTOMATION" exec "$SMOKE_PROGRAM" "$@"
