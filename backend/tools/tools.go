package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/process"
)

// Deps are the dependencies of a goal's tools.
type Deps struct {
	Dir           string   // the goal's folder, absolute
	GitControlled []string // below it, absolute: paths that control git, which are not written
	Launcher      process.Launcher
	Env           []string
	Terminals     Terminals
	Browsers      Browsers
	Panes         Panes
	Logins        Logins      // nil if none are stored
	Goals         Goals       // nil if none may be started
	Vision        VisionModel // nil if there is no vision model
	Recipes       Recipes
	Access        Access // nil if no access can be requested
	// Protected are the files of Dir that decide about the goal and must not change, relative to it, each with the
	// reason.
	Protected map[string]string
	// Work describes what may be changed in Dir; "" is all of it.
	Work string
	// Hidden are folders whose content is not shown, absolute: only checks read it.
	Hidden []string
	// AllowWrite are other folders that programs may change, absolute.
	AllowWrite []string
	// SandboxRisk is the risk level that the sandbox enforces; "" is no sandbox.
	SandboxRisk policy.Risk
	// Network has the requests that the sandbox refused; nil is no sandbox.
	Network RefusalLog
	// Kills has the programs that were ended; nil is no sandbox.
	Kills KillLog
	// PendingInput is the unfinished input of panes outside the sandbox, also from earlier runs; nil begins empty.
	PendingInput *PendingInput
}

// RefusalLog remembers what was refused to a goal's programs and pages.
type RefusalLog interface {
	LogMark() int64
	RefusedSince(since int64) []string // a line each: method, host and why
}

// KillLog remembers which of a goal's programs were ended because together they used more than the goal may.
type KillLog interface {
	KillMark() int64
	KilledSince(since int64) []string // a line each: which program, and why
}

// Terminals are the terminal panes of one goal.
type Terminals interface {
	TerminalTyping
	TerminalReading
	Open(ctx context.Context, dir, title string) (pane string, err error)
}

// TerminalTyping is how something is typed into a pane.
type TerminalTyping interface {
	// Confined says whether what is typed into a pane stays within the goal's sandbox.
	Confined(pane string) (bool, error)
	// Run types a command and waits for its end or for the given time.
	Run(ctx context.Context, pane, command string, wait time.Duration) (TerminalRun, error)
	// Type types text like a paste, followed by Enter if enter is set.
	Type(ctx context.Context, pane, text string, enter bool) error
	// Keys presses keys one after the other; either all of them or, with an error, none.
	Keys(ctx context.Context, pane string, keys []string) error
}

// TerminalReading is how panes are looked at.
type TerminalReading interface {
	Screen(ctx context.Context, pane string) (TerminalText, error)
	// Read returns a page of about max bytes of plain text, from a byte of the scrollback on or, with a page, counted
	// from the newest, which is 1.
	Read(ctx context.Context, pane string, from int64, page, max int) (TerminalText, error)
	// Wait waits at most the given time; a timeout is not an error.
	Wait(ctx context.Context, pane string, until TerminalWaitCondition, wait time.Duration) (TerminalWaitResult, error)
	List(ctx context.Context) ([]Terminal, error)
}

// New makes the tools of one goal. Close must be called when the goal's run is over.
func New(r Deps) (*Set, error) {
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", err)
	}
	if r.PendingInput == nil {
		r.PendingInput = &PendingInput{}
	}
	f := folder{root: root, dir: r.Dir, protected: r.Protected, gitControlled: r.GitControlled, hidden: r.Hidden}
	b := &Set{root: root}
	for _, make := range slices.Concat(shellTools(f, r), fileTools(f), browserTools(f, r), paneTools(f, r),
		goalTools(r.Goals), visionTools(r), recipeTools(r.Recipes), controlTools(r)) {
		t, err := make()
		if err != nil {
			return nil, errors.Join(err, root.Close())
		}
		b.tools = append(b.tools, t)
	}
	return b, nil
}

// maker makes one tool.
type maker func() (Tool, error)

func shellTools(f folder, r Deps) []maker {
	return []maker{
		func() (Tool, error) { return runCommand(r) },
		func() (Tool, error) { return requestAccess(r.Access) },
		func() (Tool, error) { return terminalOpen(f, r) },
		func() (Tool, error) { return terminalRun(r) },
		func() (Tool, error) { return terminalType(r) },
		func() (Tool, error) { return terminalKeys(r) },
		func() (Tool, error) { return terminalRead(r.Terminals) },
		func() (Tool, error) { return terminalWait(r.Terminals) },
		func() (Tool, error) { return terminalList(r.Terminals) },
	}
}

func fileTools(f folder) []maker {
	return []maker{f.readFile, f.writeFile, f.editFile, f.listFiles, f.searchFiles}
}

func controlTools(r Deps) []maker {
	return []maker{claimComplete, abortWithReport, func() (Tool, error) {
		return askOperator(r.Panes)
	}, declareStep, verifyStep, writeTodos, completeTodo, readEvidence, waitTool}
}

// Set holds the tools of one goal.
type Set struct {
	tools []Tool
	root  *os.Root
}

// Names are the names of all tools of a goal in a folder, without those of MCP servers.
func Names(dir string) ([]string, error) {
	specs, err := Specs(dir)
	names := make([]string, 0, len(specs))
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names, err
}

// Specs are the descriptions of these tools for a model.
func Specs(dir string) ([]goal.ToolSpec, error) {
	b, err := New(Deps{Dir: dir})
	if err != nil {
		return nil, err
	}
	specs := make([]goal.ToolSpec, 0, len(b.tools))
	for _, t := range b.tools {
		specs = append(specs, t.Spec())
	}
	return specs, b.Close()
}

// Tools lists them in the order in which the model sees them.
func (b *Set) Tools() []Tool { return b.tools }

// Close closes the goal's folder.
func (b *Set) Close() error {
	if err := b.root.Close(); err != nil {
		return fmt.Errorf("the goal's folder: %w", err)
	}
	return nil
}
