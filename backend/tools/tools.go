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

// Deps is what the tools of one goal work with.
type Deps struct {
	Dir           string   // the goal's folder, absolute
	GitControlled []string // below it, absolute: what git obeys, which is not written
	Launcher      process.Launcher
	Env           []string
	Terminals     Terminals
	Browsers      Browsers
	Panes         Panes
	Logins        Logins      // nil where none are kept
	Goals         Goals       // nil where none may be started
	Vision        VisionModel // nil where no model can look
	Recipes       Recipes
	Access        Access // nil where nothing can be asked for
	// Protected are the files of Dir that decide about the goal and stay as they are,
	// relative to it, each with the reason.
	Protected map[string]string
	// Held is the risk that the sandbox holds programs to; "" is no sandbox.
	SandboxRisk policy.Risk
	// Network tells what the sandbox refused; nil is no sandbox.
	Network RefusalLog
	// Bounds tells which programs were ended; nil is no sandbox.
	Kills KillLog
	// Lines are those of panes that are not confined, also of runs before; nil begins again.
	PendingInput *PendingInput
}

// RefusalLog remembers what was refused to a goal's programs and pages.
type RefusalLog interface {
	LogMark() int64
	RefusedSince(since int64) []string // a line each: method, host and why
}

// KillLog remembers which of a goal's programs were ended because all of them together
// took more than the goal may have.
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
	// Type types text as a paste does, and Enter after it.
	Type(ctx context.Context, pane, text string, enter bool) error
	// Keys presses keys one after the other, all of them or, with an error, none.
	Keys(ctx context.Context, pane string, keys []string) error
}

// TerminalReading is how panes are looked at.
type TerminalReading interface {
	Screen(ctx context.Context, pane string) (TerminalText, error)
	// Read is a page of about max bytes of plain text from a byte of the
	// scrollback on, or, with a page, counted from the newest, which is 1.
	Read(ctx context.Context, pane string, from int64, page, max int) (TerminalText, error)
	// Wait waits at most for the given time; that it is over is no error.
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
	f := folder{root: root, dir: r.Dir, protected: r.Protected, gitControlled: r.GitControlled}
	b := &Set{root: root}
	for _, make := range slices.Concat(shellTools(f, r), fileTools(f), browserTools(f, r), paneTools(f, r), goalTools(r.Goals), visionTools(r), recipeTools(r.Recipes), controlTools(r)) {
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
	return []maker{claimComplete, abortWithReport, func() (Tool, error) { return askOperator(r.Panes) }, declareStep, verifyStep, writeTodos, completeTodo, readEvidence, wait}
}

// Set holds the tools of one goal.
type Set struct {
	tools []Tool
	root  *os.Root
}

// Names are those of all tools that a goal in a folder is given, besides those of
// MCP servers.
func Names(dir string) ([]string, error) {
	specs, err := Specs(dir)
	names := make([]string, 0, len(specs))
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names, err
}

// Specs are what a model is told of them.
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

// Tools lists them in the order in which the model is told.
func (b *Set) Tools() []Tool { return b.tools }

// Close lets go of the goal's folder.
func (b *Set) Close() error {
	if err := b.root.Close(); err != nil {
		return fmt.Errorf("the goal's folder: %w", err)
	}
	return nil
}
