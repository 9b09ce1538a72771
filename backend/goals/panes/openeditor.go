package panes

import (
	"context"
	"fmt"
	"path/filepath"

	"goalpost/backend/domain/pane"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/panes/terminal"
)

// editScript starts the user's editor, which may be a command with arguments, otherwise one that is installed. The file
// is an argument and never a part of the script.
const editScript = `chosen=${VISUAL:-$EDITOR}
if [ -n "$chosen" ]; then eval "exec $chosen \"\$1\""; fi
for program in editor nano vim vi; do
	if command -v "$program" >/dev/null 2>&1; then exec "$program" "$1"; fi
done
echo "No editor was found. Set EDITOR in your environment, then start Goalpost again."
exit 127`

// OpenEditor opens a file in the user's editor, in a terminal pane of the user. Like the user's shell, the editor runs
// outside the sandbox.
func (r *Registry) OpenEditor(ctx context.Context, file string) (pane.Info, error) {
	s, err := r.Terminals.Open(ctx, r.Programs, terminal.Options{
		ID:         r.NewID(pane.Terminal),
		Title:      filepath.Base(file),
		Dir:        filepath.Dir(file),
		Env:        environ.Base(environ.Of(ctx)),
		Argv:       []string{"/bin/sh", "-c", editScript, "sh", file},
		Scrollback: r.Scrollback(),
	})
	if err != nil {
		return pane.Info{}, fmt.Errorf("open the editor: %w", err)
	}
	return s.Info(), nil
}
