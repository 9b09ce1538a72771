package mounts

import (
	"os"
	"path/filepath"

	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
)

type mountPlanner struct {
	w   spec.Spec
	out wire.Spec
}

// privatePath returns a path in the goal's private folder.
func (mp *mountPlanner) privatePath(parts ...string) string {
	return filepath.Join(append([]string{mp.w.Layer}, parts...)...)
}

// makeOwnedDir creates a folder owned by the user that the programs run as.
func (mp *mountPlanner) makeOwnedDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err //nolint:wrapcheck // plan wraps it
	}
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(path, mp.out.UID, mp.out.GID) //nolint:wrapcheck // plan wraps it
}

func (mp *mountPlanner) add(m wire.Mount) { mp.out.Mounts = append(mp.out.Mounts, m) }

func (mp *mountPlanner) bind(source, target string, write, checkWrite bool) {
	mp.add(wire.Mount{
		Kind:       wire.MountBind,
		Source:     []byte(source),
		Target:     []byte(target),
		Write:      write,
		CheckWrite: checkWrite,
	})
}

// bindAgentOnly binds a folder of the goal that influences how programs behave, for the agent's programs only: checks
// must not see what the agent left in it.
func (mp *mountPlanner) bindAgentOnly(source, target, below string) {
	mp.add(wire.Mount{
		Kind:       wire.MountBind,
		Source:     []byte(source),
		Target:     []byte(target),
		Write:      !mp.w.ReadOnly,
		CheckWrite: true,
		Fresh:      true,
		Below:      []byte(below),
	})
}

func (mp *mountPlanner) text(target, text string) {
	mp.add(wire.Mount{Kind: wire.MountText, Target: []byte(target), Text: []byte(text)})
}

// readOnly binds a path of the machine read-only, if it exists.
func (mp *mountPlanner) readOnly(path string) {
	source, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	mp.add(wire.Mount{Kind: wire.MountBind, Source: []byte(source), Target: []byte(path), Optional: true})
}
