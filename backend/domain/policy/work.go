package policy

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ValidateWork refuses work paths that are not below Dir, or that nothing would enforce.
func (p Policy) ValidateWork() error {
	for _, w := range p.Work {
		if name := strings.TrimSuffix(w, "/"); name == "." || !filepath.IsLocal(name) || path.Clean(name) != name {
			return fmt.Errorf("the work path %q is not inside the goal's folder", w)
		}
	}
	switch {
	case len(p.Work) > 0 && p.Risk == ReadOnly:
		return fmt.Errorf("a %s goal changes nothing, so it cannot be limited to what it may change: use %s", ReadOnly,
			WriteLocal)
	case len(p.Work) > 0 && p.Unconfined:
		return errors.New("the sandbox enforces what the agent may change, and this goal runs without one")
	}
	return nil
}

// WorkPaths lists what the agent may change in Dir, as absolute paths; none means all of Dir.
func (p Policy) WorkPaths() []string {
	var list []string
	for _, w := range p.Work {
		list = append(list, path.Join(p.Dir, w))
	}
	return list
}

// DescribeWork names the work paths for a sentence: "src/ and notes.md".
func (p Policy) DescribeWork() string {
	if n := len(p.Work); n > 1 {
		return strings.Join(p.Work[:n-1], ", ") + " and " + p.Work[n-1]
	}
	return strings.Join(p.Work, "")
}

// RefuseOutsideWork returns the refusal that the agent reads when it tries to change something in Dir outside the work
// paths.
func (p Policy) RefuseOutsideWork() string {
	return fmt.Sprintf("only %s may be changed (--work); ask the user to extend it, with request_access (write) or "+
		"ask_user", p.DescribeWork())
}

// isOutsideWork reports whether a path is in Dir and not in what the agent may change there.
func (p Policy) isOutsideWork(file string) bool {
	return len(p.Work) > 0 && IsWithin(p.Dir, file) && !p.isWritable(file)
}

// RoundGlob returns the folder, or the file, that holds everything a glob could match: the kernel grants folders and
// existing files, not patterns. "src/**/*.py" is "src/", and "*.py" is ".".
func RoundGlob(pattern string) string {
	if !strings.ContainsAny(pattern, "*?[") {
		return pattern
	}
	parts := strings.Split(pattern, "/")
	i := slices.IndexFunc(parts, func(part string) bool { return strings.ContainsAny(part, "*?[") })
	if i == 0 {
		return "."
	}
	return strings.Join(parts[:i], "/") + "/"
}
