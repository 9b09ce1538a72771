package tools

import (
	"errors"
	"fmt"
	"os"

	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/domain/goal"
)

// New makes the tools of one goal. The caller closes the Set at the end of the run.
func New(r Deps) (*Set, error) {
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return nil, fmt.Errorf("opening the goal's folder: %w", err)
	}
	if r.PendingInput == nil {
		r.PendingInput = &commandline.PendingInput{}
	}
	if r.LeftRunning == nil {
		r.LeftRunning = &LeftRunning{}
	}
	r.folder = folder{root: root, dir: r.Dir, protected: r.Protected, gitControlled: r.GitControlled, hidden: r.Hidden}
	b := &Set{root: root, LeftRunning: r.LeftRunning}
	for _, make := range toolMakers(r) {
		t, err := make(r)
		if err != nil {
			return nil, errors.Join(err, root.Close())
		}
		b.tools = append(b.tools, t)
	}
	return b, nil
}

// maker makes one tool.
type maker func(Deps) (Tool, error)

// toolMakers returns the makers of the tools, in the order in which the model sees them.
func toolMakers(r Deps) []maker {
	list := []maker{
		runCommand, requestAccess, terminalOpen, terminalRun, terminalType, terminalKeys, terminalRead, terminalWait,
		readFile, writeFile, editFile, listFiles, searchFiles,
		fetchURL, browserOpen, browserLogin, browserUpload, browserSave, browserDownload,
		browserSnapshot, browserFind, browserRead, browserClick, browserType, browserPress, browserSelect, browserCheck,
		browserHover, browserDrag, browserScroll, browserWait, browserDialog, browserHistory, browserScreenshot,
		browserClickAt, browserEval, browserConsole, browserNetwork, browserCookies,
		listPanes, closePane, focusPane, namePane,
	}
	if r.Search != nil {
		list = append(list, webSearch)
	}
	if r.Skills != nil {
		list = append(list, loadSkill)
	}
	return append(list,
		startGoal, goalStatus, waitForGoal, shareNote,
		lookAt, saveRecipe, runRecipe,
		claimComplete, abortWithReport, askUser, declareStep, verifyStep, writeTodos, writeNote, remember, readEvidence,
		waitTool, waitUntil, findTools,
	)
}

// Set holds the tools of one goal.
type Set struct {
	LeftRunning *LeftRunning

	tools []Tool
	root  *os.Root
}

// Names returns the names of all tools of a goal in a folder, without the tools of MCP servers.
func Names(dir string) ([]string, error) {
	specs, err := Specs(dir)
	names := make([]string, 0, len(specs))
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names, err
}

// Specs returns the descriptions of the same tools for a model.
func Specs(dir string) ([]goal.ToolSpec, error) {
	b, err := New(Deps{Dir: dir, Search: unsetSearch{}, Skills: noSkills{}})
	if err != nil {
		return nil, err
	}
	specs := make([]goal.ToolSpec, 0, len(b.tools))
	for _, t := range b.tools {
		specs = append(specs, t.Spec())
	}
	return specs, b.Close()
}

// Tools returns the tools in the order in which the model sees them.
func (s *Set) Tools() []Tool { return s.tools }

// Tool returns the tool with a name, nil if there is none.
func (s *Set) Tool(name string) Tool {
	for _, t := range s.tools {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}

// Close closes the goal's folder.
func (s *Set) Close() error {
	if err := s.root.Close(); err != nil {
		return fmt.Errorf("closing the goal's folder: %w", err)
	}
	return nil
}
