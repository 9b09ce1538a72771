package mounts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/host/sandbox/spec"
)

// gitConfigSections are the sections of the user's git configuration that goals inherit: preferences only, no
// credentials, keys or programs.
var gitConfigSections = []string{
	"user", "init", "pull", "push", "merge", "diff", "color", "alias", "branch", "rebase",
	"column", "log", "status",
}

// gitConfig returns the system-wide git configuration inside the sandbox, derived from the user's. Keys stay outside,
// but whether commits are signed is not decided here: git fails, and run_command says whom to ask.
func gitConfig(home string) string {
	var b strings.Builder
	b.WriteString("[safe]\n\tdirectory = *\n")
	text, err := os.ReadFile(filepath.Join(home, ".gitconfig"))
	if err != nil {
		return b.String()
	}
	keep, section := false, ""
	for line := range strings.Lines(string(text)) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			name := strings.ToLower(strings.TrimLeft(trimmed, "["))
			if i := strings.IndexAny(name, " .]\t\""); i >= 0 {
				name = name[:i]
			}
			keep, section = slices.Contains(gitConfigSections, name), name
		}
		key, _, _ := strings.Cut(strings.ToLower(trimmed), "=")
		key = strings.TrimSpace(key)
		if signs := section == "commit" || section == "tag"; signs && key == "gpgsign" {
			b.WriteString("[" + section + "]\n" + strings.TrimRight(line, "\n") + "\n")
		} else if keep && key != "signingkey" {
			b.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}

// sshConfig is the whole ssh configuration inside the sandbox: ssh may refuse the machine's files there because of
// their owner.
const sshConfig = "Host *\n\tProxyCommand " + spec.HelperPath + " connect %h %p\n\tStrictHostKeyChecking accept-new\n"
