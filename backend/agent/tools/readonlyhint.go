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
	isRefused := func(message string) bool { return strings.Contains(output, message) }
	if d.Work != "" && slices.ContainsFunc(refusedWrites[:2], isRefused) {
		return "\nThe user limits this goal: only " + d.Work + " may be changed (--work); everything else in your folder " +
			"is read-only, also for git, which cannot commit. Work within that, or ask the user to extend it, with " +
			"request_access (write) or ask_user."
	}
	if len(d.Protected) == 0 || !slices.ContainsFunc(refusedWrites, isRefused) {
		return ""
	}
	const maxNames = 10
	names := slices.Sorted(maps.Keys(d.Protected))
	if named := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return !strings.Contains(output, n)
	}); len(named) > 0 {
		names = named
	}
	for i, name := range names[:min(maxNames, len(names))] {
		names[i] = fmt.Sprintf("%s (%s)", name, d.Protected[name])
	}
	more := ""
	if len(names) > maxNames {
		names, more = names[:maxNames], fmt.Sprintf(" and %d more", len(names)-maxNames)
	}
	return "\nProtected by the goal's check, so you cannot change or remove them: " + strings.Join(names, ", ") + more +
		". Make your work fit them. " + howToUnlock + "."
}

// gitHint explains why git found no repository, or could not sign.
func (d Deps) gitHint(output string) string {
	isIn := func(message string) bool { return strings.Contains(output, message) }
	switch {
	case d.MissingGit != "" && isIn("not a git repository"):
		return "\n" + d.MissingGit + "."
	case d.SandboxRisk != "" && slices.ContainsFunc(failedSignatures, isIn):
		return "\nThe user's commits are signed, and this goal has no key. If the work needs a commit, ask the user " +
			"(ask_user) whether to commit unsigned, with --no-gpg-sign, or to leave the commit to them."
	}
	return ""
}

// failedSignatures are in git's messages about a commit that it could not sign.
var failedSignatures = []string{
	"failed to sign the data", "signing failed", "user.signingkey or gpg.ssh.defaultKeyCommand", "cannot run gpg",
	"Couldn't load public key",
}

// refusedWrites are in the messages of programs that could not write, replace or remove a read-only file.
var refusedWrites = []string{"Read-only file system", "EROFS", "Device or resource busy", "EBUSY"}

// howToUnlock tells the agent how to ask for a protected file.
const howToUnlock = "If it has to change (a wrong test, a recorded result, a lock file), ask the user with " +
	"request_access: kind write, its path, and why"
