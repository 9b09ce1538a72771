package tools

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"goalpost/backend/goal"
	"goalpost/backend/tools/commandline"
)

// New makes the tools of one goal. Close must be called when the goal's run is over.
func New(r Deps) (*Set, error) {
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", err)
	}
	if r.PendingInput == nil {
		r.PendingInput = &commandline.PendingInput{}
	}
	f := folder{root: root, dir: r.Dir, protected: r.Protected, gitControlled: r.GitControlled, hidden: r.Hidden}
	b := &Set{root: root}
	for _, make := range slices.Concat(shellTools(f, r), fileTools(f), browserTools(f, r), paneTools(r),
		searchTools(r.Search), goalTools(r.Goals), visionTools(r), recipeTools(r.Recipes), controlTools(r),
		formerTools(b.Tool)) {
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
	}
}

func fileTools(f folder) []maker {
	return []maker{f.readFile, f.writeFile, f.editFile, f.listFiles, f.searchFiles}
}

func controlTools(r Deps) []maker {
	return []maker{claimComplete, abortWithReport, func() (Tool, error) {
		return askOperator(r.Panes)
	}, declareStep, verifyStep, writeTodos, readEvidence, waitTool, findTools}
}

// Set holds the tools of one goal.
type Set struct {
	tools []Tool
	root  *os.Root
}

// Names are the names of all tools of a goal in a folder, also the former ones, without those of MCP servers.
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
	b, err := New(Deps{Dir: dir, Search: unsetSearch{}})
	if err != nil {
		return nil, err
	}
	specs := make([]goal.ToolSpec, 0, len(b.tools))
	for _, t := range b.tools {
		specs = append(specs, t.Spec())
	}
	return specs, b.Close()
}

// Tools lists the tools in the order in which the model sees them, former ones last.
func (b *Set) Tools() []Tool { return b.tools }

// Tool returns the tool of a name, nil if there is none.
func (b *Set) Tool(name string) Tool {
	for _, t := range b.tools {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}

// Close closes the goal's folder.
func (b *Set) Close() error {
	if err := b.root.Close(); err != nil {
		return fmt.Errorf("the goal's folder: %w", err)
	}
	return nil
}

func browserTools(f folder, r Deps) []maker {
	b := r.Browsers
	list := []maker{
		func() (Tool, error) { return fetchURL(r) },
		func() (Tool, error) { return browserOpen(r) },
		func() (Tool, error) { return browserLogin(r) },
		func() (Tool, error) { return browserUpload(f, b) },
		func() (Tool, error) { return browserSave(f, b) },
		func() (Tool, error) { return browserDownload(f, b) },
	}
	for _, make := range []func(Browsers) (Tool, error){
		browserSnapshot, browserFind, browserRead, browserClick, browserType, browserPress,
		browserSelect, browserCheck,
		browserHover, browserDrag, browserScroll, browserWait, browserDialog, browserHistory, browserScreenshot,
		browserClickAt, browserEval,
		browserConsole, browserNetwork, browserCookies,
	} {
		list = append(list, func() (Tool, error) { return make(b) })
	}
	return list
}

func searchTools(s Search) []maker {
	if s == nil {
		return nil
	}
	return []maker{func() (Tool, error) { return webSearch(s) }}
}

func goalTools(g Goals) []maker {
	return []maker{
		func() (Tool, error) { return startGoal(g) },
		func() (Tool, error) { return goalStatus(g) },
		func() (Tool, error) { return waitForGoal(g) },
		func() (Tool, error) { return shareNote(g) },
	}
}

func paneTools(r Deps) []maker {
	return []maker{
		func() (Tool, error) { return listPanes(r) },
		func() (Tool, error) { return closePane(r.Panes) },
		func() (Tool, error) { return focusPane(r.Panes) },
		func() (Tool, error) { return namePane(r.Panes) },
	}
}

func visionTools(r Deps) []maker {
	return []maker{
		func() (Tool, error) { return lookAt(r) },
	}
}

func recipeTools(r Recipes) []maker {
	return []maker{
		func() (Tool, error) { return saveRecipe(r) },
		func() (Tool, error) { return runRecipe(r) },
	}
}
