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
func (mp *mountPlanner) bindWork() error {
	for _, path := range mp.w.Work {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return fmt.Errorf("a work path (--work): %w", err)
		case !spec.IsBelow(path, mp.w.Dir) || path == mp.w.Dir:
			return fmt.Errorf("sandbox: the work path %s is not inside %s", path, mp.w.Dir)
		case !info.IsDir() && !info.Mode().IsRegular():
			return fmt.Errorf("sandbox: the work path %s is neither a folder nor a regular file", path)
		}
		mp.add(wire.Mount{
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
func (mp *mountPlanner) agentWrites(path string) bool {
	if len(mp.w.Work) == 0 || !spec.IsBelow(path, mp.w.Dir) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(mp.w.Work, mp.w.Write), func(w string) bool { return spec.IsBelow(path, w) })
}

// checksWrite reports whether the writes of a check in the goal's folders stay. They do not if the check can read files
// that the agent must not see: it may run code of the agent, which could copy them there.
func (mp *mountPlanner) checksWrite() bool { return mp.w.CheckDir == "" }

// hiddenPaths returns all paths that the agent's programs cannot see.
func (mp *mountPlanner) hiddenPaths() []string {
	if mp.w.CheckDir == "" {
		return mp.w.Hidden
	}
	return append([]string{mp.w.CheckDir}, mp.w.Hidden...)
}

// pinHidden makes mounts of the folders above hidden paths: otherwise a program could rename one, and the next
// sandbox would hide nothing.
func (mp *mountPlanner) pinHidden() {
	for _, path := range mp.hiddenPaths() {
		for _, dir := range append([]string{mp.w.Dir}, mp.w.Write...) {
			if spec.IsBelow(path, dir) && !mp.w.ReadOnly {
				mp.pinParents(dir, path)
			}
		}
	}
}

// hide covers the paths that only checks, or no programs, may see. It comes last, so that nothing is mounted over it.
func (mp *mountPlanner) hide() {
	for _, path := range mp.hiddenPaths() {
		if slices.ContainsFunc(mp.out.Mounts, func(m wire.Mount) bool {
			return m.Kind == wire.MountBind && spec.IsBelow(path, string(m.Target))
		}) {
			mp.add(wire.Mount{
				Kind:      wire.MountBind,
				Source:    []byte(mp.privatePath(hiddenDir)),
				Target:    []byte(path),
				AgentOnly: path == mp.w.CheckDir,
			})
		}
	}
	if mp.w.CheckDir != "" {
		mp.bind(mp.w.CheckDir, mp.w.CheckDir, false, false)
		mp.out.Mounts[len(mp.out.Mounts)-1].CheckOnly = true
	}
}
