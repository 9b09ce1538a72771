package panes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/shell"
	"goalpost/backend/panes/terminal"
	"goalpost/backend/storage/config"
)

// ValidateProfile refuses a terminal profile whose folder or program is not on this computer.
func (r *Registry) ValidateProfile(p config.TerminalProfile) error {
	if err := p.Validate(); err != nil {
		return err
	}
	return r.applyProfile(p, &terminal.Options{Env: r.shellEnv(environ.Base(os.Environ()))})
}

// applyProfile makes a terminal start as a terminal profile says. The environment of the options is that of the user's
// shells.
func (r *Registry) applyProfile(p config.TerminalProfile, o *terminal.Options) error {
	const hint = "change it under Settings, Terminal profiles"
	o.Note.Profile = p.Name
	if p.Dir != "" {
		dir := inHome(p.Dir)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
			return fault.Invalid("dir", fmt.Sprintf("the folder %s of the terminal profile %s does not exist", p.Dir, p.Name),
				hint)
		}
		o.Dir = dir
	}
	for _, e := range p.Env {
		name, _, _ := strings.Cut(e, "=")
		o.Env = slices.DeleteFunc(o.Env, func(have string) bool { return strings.HasPrefix(have, name+"=") })
		o.Env = append(o.Env, e)
	}
	if p.Command == "" {
		return nil
	}
	argv, err := shell.SimpleCommand(p.Command)
	if err != nil {
		return fault.Invalid("command", fmt.Sprintf("the command of the terminal profile %s cannot be read", p.Name), hint)
	}
	for i := range argv {
		argv[i] = inHome(argv[i])
	}
	if argv[0] = findProgram(argv[0], o.Env); argv[0] == "" {
		return fault.Invalid("command", fmt.Sprintf("the program of the terminal profile %s does not exist: %s", p.Name,
			p.Command), "install it, or "+hint)
	}
	o.Argv = argv
	return nil
}

// inHome returns a path whose ~ is the home folder.
func inHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(homeDir(), rest)
	}
	return path
}

// findProgram returns the absolute path of a program, "" if there is none.
func findProgram(name string, env []string) string {
	candidates := []string{name}
	if !strings.ContainsRune(name, '/') {
		candidates = nil
		for _, e := range env {
			if list, ok := strings.CutPrefix(e, "PATH="); ok {
				for _, dir := range filepath.SplitList(list) {
					candidates = append(candidates, filepath.Join(dir, name))
				}
			}
		}
	}
	for _, path := range candidates {
		info, err := os.Stat(path)
		if err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}
