# Prints the targets of a Makefile that carry a "## sentence", under their "##@ heading".
BEGIN { FS = ":.*## " }
/^##@ / { printf "\n%s\n", substr($0, 5); next }
/^[a-z][a-z0-9-]*:.*## / && !seen[$1]++ { printf "  make %-11s %s\n", $1, $2 }
