package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/lib/text"
)

// Program holds the dependencies of the command line.
type Program struct {
	Name    string // goalpost or goalctl
	Version string
	Assets  fs.FS // the built frontend, for serve
	// Executable is the path of this program, which starts the host process; "" starts none.
	Executable string
	Getenv     func(string) string
	Stdin      io.ReadCloser // nil for that of the process
	Stdout     io.Writer
	Stderr     io.Writer
	// Window opens the window if there is no subcommand; nil if there is no window. It shows the goal with the id, or a
	// part of it, and none for "". It returns the exit code.
	Window func(goalID string) int
	// Closing is the time for pausing goals and ending their programs after a signal; 0 is the default of five seconds.
	Closing time.Duration

	args   []string
	caller *hostCaller // nil unless this process is the host and runs a command for another program
	own    *ownedFolder
}

// page returns the built frontend, nil if this program was built without it.
func (p Program) page() fs.FS {
	if p.Assets == nil {
		return nil
	}
	if _, err := fs.Stat(p.Assets, "index.html"); err != nil {
		return nil
	}
	return p.Assets
}

// errorf writes to the user. An error of stderr is ignored.
func (p Program) errorf(format string, args ...any) {
	_, _ = io.WriteString(p.Stderr, text.Sanitize(fmt.Sprintf(format, args...)))
}

// printf writes results. An error, such as a closed stdout, ends the command.
func (p Program) printf(format string, args ...any) error {
	if _, err := io.WriteString(p.Stdout, text.Sanitize(fmt.Sprintf(format, args...))); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// addJSON adds --json to a command and returns it.
func addJSON(c *cobra.Command) *cobra.Command {
	c.Flags().Bool("json", false, "as JSON")
	return c
}

// isJSON reports whether the user wants the result as JSON.
func isJSON(c *cobra.Command) bool {
	yes, err := c.Flags().GetBool("json")
	return err == nil && yes
}

// printResult prints the result of a call as JSON, or as text, unless the call failed.
func (p Program) printResult(c *cobra.Command, v any, err error, text func() error) error {
	switch {
	case err != nil:
		return err
	case isJSON(c):
		return p.json(v)
	}
	return text()
}

func (p Program) json(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return p.printf("%s", plainJSON(b.Bytes()))
}

// printTable aligns the columns of lines, whose cells are separated by tabs. The caller sanitizes them.
func (p Program) printTable(lines []string) error {
	w := tabwriter.NewWriter(p.Stdout, 0, 2, 2, ' ', 0)
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	if err = errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
