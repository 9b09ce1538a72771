package panes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
)

// ShowFolder shows the folder of a file's pane, or that in which a terminal of this machine is, with the desktop's
// program for folders.
func (r *Registry) ShowFolder(ctx context.Context, id string) error {
	if f, ok := r.Files.Get(id); ok {
		return r.openFolder(ctx, filepath.Dir(f.Info().Path))
	}
	s, err := r.Terminal(id)
	if err != nil {
		return err
	}
	info := s.Info()
	if info.Server != "" {
		return fault.New(fault.Refused, "the folder is on "+info.Server, "a desktop shows folders of this machine only")
	}
	if info.Cwd == "" {
		return r.openFolder(ctx, info.Dir)
	}
	return r.openFolder(ctx, info.Cwd)
}

// openFolder shows a folder on the desktop. The path may come from a program in a terminal, and a goal may replace what
// is there: the slash at its end makes the kernel refuse a file, which a desktop might run.
func (r *Registry) openFolder(ctx context.Context, path string) error {
	path = strings.TrimSuffix(path, "/") + "/"
	if !filepath.IsAbs(path) {
		return fault.New(fault.NotFound, "the folder is unknown", "change to it in the terminal")
	}
	if _, err := os.Stat(path); err != nil {
		return fault.New(fault.NotFound, "the folder "+path+" cannot be opened", "it was moved, deleted or replaced")
	}
	return r.openOnDesktop(ctx, path)
}

// openOnDesktop opens a file or folder with the desktop's program for it.
func (r *Registry) openOnDesktop(ctx context.Context, path string) error {
	program, ok := browser.FindDesktopOpener()
	if !ok {
		return fault.New(fault.Unavailable, "there is no desktop to open it", "it is at "+path)
	}
	if _, err := r.Programs.Start(context.WithoutCancel(ctx), process.Command{
		Argv: []string{program, path},
		Env:  os.Environ(),
		Dir:  filepath.Dir(filepath.Clean(path)),
	}); err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	return nil
}
