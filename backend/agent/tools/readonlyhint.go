package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// readOnlyHint explains the error message of a program that tried to change a read-only file. In the sandbox,
// protected files are read-only mounts.
func (d Deps) readOnlyHint(output string) string {
	if d.Work != "" && strings.Contains(output, "Read-only file system") {
		return "\nThe user limits this goal: only " + d.Work + " may be changed (--work); everything else in your folder " +
			"is read-only, also for git, which cannot commit. Work within that, or ask the user to extend it, with " +
			"request_access (write) or ask_user."
	}
	if len(d.Protected) == 0 || !strings.Contains(output, "Read-only file system") &&
		!strings.Contains(output, "Device or resource busy") {
		return ""
	}
	const maxNames = 10
	names := slices.Sorted(maps.Keys(d.Protected))
	if named := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return !strings.Contains(output, n)
	}); len(named) > 0 {
		names = named
	}
	more := ""
	if len(names) > maxNames {
		names, more = names[:maxNames], fmt.Sprintf(" and %d more", len(names)-maxNames)
	}
	return "\nProtected by the goal's check, so you cannot change or remove them: " + strings.Join(names, ", ") + more +
		". Make your work fit them; if one is wrong, say so with ask_user."
}
