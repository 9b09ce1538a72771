package mounts

import (
	"fmt"
	"os"
	"slices"

	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
)

// hiddenDir is the empty folder, in the goal's private folder, that is mounted over hidden paths.
const hiddenDir = "hidden"

// bindWork makes the work paths writable for the agent's programs, in a folder that is
// read-only for them. Programs cannot rename or remove a mount, so the path stays the
// one that the user named. A program that replaces such a file by renaming a new one over it fails: it cannot create
// the new file beside it.
func (p *mountPlanner) bindWork() error {
	for _, path := range p.w.Work {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return fmt.Errorf("a work path (--work): %w", err)
		case !spec.IsBelow(path, p.w.Dir) || path == p.w.Dir:
			return fmt.Errorf("sandbox: the work path %s is not inside %s", path, p.w.Dir)
		case !info.IsDir() && !info.Mode().IsRegular():
			return fmt.Errorf("sandbox: the work path %s is neither a folder nor a regular file", path)
		}
		p.add(wire.Mount{
			Kind:      wire.MountBind,
			Source:    []byte(path),
			Target:    []byte(path),
			Write:     true,
			AgentOnly: true, // a check can write in the whole folder, as without work paths
		})
	}
	return nil
}

// agentWrites reports whether the agent's programs may change a path of the goal's folders.
func (p *mountPlanner) agentWrites(path string) bool {
	if len(p.w.Work) == 0 || !spec.IsBelow(path, p.w.Dir) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(p.w.Work, p.w.Write), func(w string) bool { return spec.IsBelow(path, w) })
}

// checksWrite reports whether the writes of a check in the goal's folders stay. They do not if the check can read files
// that the agent must not see: it may run code of the agent, which could copy them there.
func (p *mountPlanner) checksWrite() bool { return p.w.CheckDir == "" }

// hiddenPaths returns all paths that the agent's programs cannot see.
func (p *mountPlanner) hiddenPaths() []string {
	if p.w.CheckDir == "" {
		return p.w.Hidden
	}
	return append([]string{p.w.CheckDir}, p.w.Hidden...)
}

// pinHidden makes mounts of the folders above hidden paths: otherwise a program could rename one, and the next
// sandbox would hide nothing.
func (p *mountPlanner) pinHidden() {
	for _, path := range p.hiddenPaths() {
		for _, dir := range append([]string{p.w.Dir}, p.w.Write...) {
			if spec.IsBelow(path, dir) && !p.w.ReadOnly {
				p.pinParents(dir, path)
			}
		}
	}
}

// hide covers the paths that only checks, or no programs, may see. It comes last, so that nothing is mounted over it.
func (p *mountPlanner) hide() {
	for _, path := range p.hiddenPaths() {
		if slices.ContainsFunc(p.out.Mounts, func(m wire.Mount) bool {
			return m.Kind == wire.MountBind && spec.IsBelow(path, string(m.Target))
		}) {
			p.add(wire.Mount{
				Kind:      wire.MountBind,
				Source:    []byte(p.privatePath(hiddenDir)),
				Target:    []byte(path),
				AgentOnly: path == p.w.CheckDir,
			})
		}
	}
	if p.w.CheckDir != "" {
		p.bind(p.w.CheckDir, p.w.CheckDir, false, false)
		p.out.Mounts[len(p.out.Mounts)-1].CheckOnly = true
	}
}
