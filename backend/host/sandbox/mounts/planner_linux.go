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
func (p *mountPlanner) privatePath(parts ...string) string {
	return filepath.Join(append([]string{p.w.Layer}, parts...)...)
}

// makeOwnedDir creates a folder owned by the user that the programs run as.
func (p *mountPlanner) makeOwnedDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err //nolint:wrapcheck // plan wraps it
	}
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(path, p.out.UID, p.out.GID) //nolint:wrapcheck // plan wraps it
}

func (p *mountPlanner) add(m wire.Mount) { p.out.Mounts = append(p.out.Mounts, m) }

func (p *mountPlanner) bind(source, target string, write, checkWrite bool) {
	p.add(wire.Mount{
		Kind:       wire.MountBind,
		Source:     []byte(source),
		Target:     []byte(target),
		Write:      write,
		CheckWrite: checkWrite,
	})
}

// bindAgentOnly binds a folder of the goal that influences how programs behave, for the agent's programs only: checks
// must not see what the agent left in it.
func (p *mountPlanner) bindAgentOnly(source, target, below string) {
	p.add(wire.Mount{
		Kind:       wire.MountBind,
		Source:     []byte(source),
		Target:     []byte(target),
		Write:      !p.w.ReadOnly,
		CheckWrite: true,
		Fresh:      true,
		Below:      []byte(below),
	})
}

func (p *mountPlanner) text(target, text string) {
	p.add(wire.Mount{Kind: wire.MountText, Target: []byte(target), Text: []byte(text)})
}

// readOnly binds a path of the machine read-only, if it exists.
func (p *mountPlanner) readOnly(path string) {
	source, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	p.add(wire.Mount{Kind: wire.MountBind, Source: []byte(source), Target: []byte(path), Optional: true})
}
