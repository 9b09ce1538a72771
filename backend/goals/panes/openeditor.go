package panes

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"goalpost/backend/domain/pane"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/panes/terminal"
)

// editScript starts the user's editor, which may be a command with arguments, otherwise one that is installed. The file
// is an argument and never a part of the script. Editors that are known to begin at a line get it.
const editScript = `chosen=${VISUAL:-$EDITOR}
if [ -z "$chosen" ]; then
	for program in editor nano vim vi; do
		if command -v "$program" >/dev/null 2>&1; then chosen=$program; break; fi
	done
fi
if [ -z "$chosen" ]; then
	echo "No editor was found. Set EDITOR in your environment, then start Goalpost again."
	exit 127
fi
name=${chosen%% *}
if [ -n "$2" ]; then
	case ${name##*/} in
	code|code-insiders|codium|cursor|windsurf) eval "exec $chosen -g \"\$1:\$2\"" ;;
	hx|helix|zed|subl) eval "exec $chosen \"\$1:\$2\"" ;;
	editor|nano|vi|vim|nvim|view|emacs|emacsclient|micro|kak|joe|jed|mg) eval "exec $chosen +\"\$2\" \"\$1\"" ;;
	esac
fi
eval "exec $chosen \"\$1\""`

// OpenEditor opens a file in the user's editor, in a terminal pane of the user. Like the user's shell, the editor runs
// outside the sandbox.
func (r *Registry) OpenEditor(ctx context.Context, file string) (pane.Info, error) {
	return r.openEditorAt(ctx, file, 0)
}

// openEditorAt is OpenEditor at a line, 0 for none.
func (r *Registry) openEditorAt(ctx context.Context, file string, line int) (pane.Info, error) {
	at := ""
	if line > 0 {
		at = strconv.Itoa(line)
	}
	s, err := r.Terminals.Open(ctx, r.Programs, terminal.Options{
		ID:         r.NewID(pane.Terminal),
		Title:      filepath.Base(file),
		Dir:        filepath.Dir(file),
		Env:        environ.Base(environ.Of(ctx)),
		Argv:       []string{"/bin/sh", "-c", editScript, "sh", file, at},
		Scrollback: r.Scrollback(),
	})
	if err != nil {
		return pane.Info{}, fmt.Errorf("open the editor: %w", err)
	}
	return s.Info(), nil
}
