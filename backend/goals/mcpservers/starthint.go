package mcpservers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/config"
)

// startHint returns what to do about a server that did not start.
func startHint(c config.MCPServer) string {
	if c.URL != "" {
		return "check the address, and the key in its headers"
	}
	if dir := hiddenFolder(c); dir != "" {
		return "the sandbox hides your home from the server: add it again with --read " + dir +
			", or with this folder under \"Folders it may read\" in the settings"
	}
	return "a server that is a program runs inside a sandbox without network, as for a goal: install it first, then " +
		"name the installed program; one that starts slowly needs a longer time for its start"
}

// hiddenFolder returns a folder of the user's home that the command of a server names and that its sandbox hides, ""
// if there is none.
func hiddenFolder(c config.MCPServer) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	paths := []string{c.Command}
	if !strings.Contains(c.Command, "/") {
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			paths = append(paths, filepath.Join(dir, c.Command))
		}
	}
	for _, path := range append(paths, c.Args...) {
		if _, value, isOption := strings.Cut(path, "="); isOption && strings.HasPrefix(path, "-") {
			path = value
		}
		info, err := os.Stat(path)
		if err != nil || !policy.IsWithin(home, filepath.Clean(path)) || filepath.Clean(path) == filepath.Clean(home) {
			continue
		}
		if !info.IsDir() {
			path = filepath.Dir(path)
		}
		path = filepath.Clean(path)
		if !slices.ContainsFunc(c.Read, func(dir string) bool { return policy.IsWithin(dir, path) }) {
			return path
		}
	}
	return ""
}
