package api

import "context"

// Engines is the interface of EngineAPI to the program.
type Engines interface {
	Engines() []EngineView
	UseEngine(id string) error
	TestEngine(ctx context.Context, id string) (EngineTest, error)
}

// EngineAPI lists, selects and tests the engines of goals: Goalpost's own loop, and external agents on this computer.
type EngineAPI struct {
	engines Engines
	apiBase
}

// NewEngineAPI makes the API; ctx is the program's life.
func NewEngineAPI(ctx context.Context, e Engines) *EngineAPI {
	return &EngineAPI{engines: e, apiBase: apiBase{ctx}}
}

// List lists all engines, Goalpost's own loop first, and what they lack. It starts none.
func (e *EngineAPI) List() (out []EngineView, err error) {
	defer e.recoverProblem(&err)
	return e.engines.Engines(), nil
}

// Use sets the engine of new goals.
func (e *EngineAPI) Use(id string) (ok bool, err error) {
	defer e.recoverProblem(&err)
	return true, e.engines.UseEngine(id)
}

// Test lets an external agent write one file, as a goal in an empty folder with the active model. It deletes the goal
// and its folder afterwards.
func (e *EngineAPI) Test(id string) (out EngineTest, err error) {
	defer e.recoverProblem(&err)
	return e.engines.TestEngine(e.ctx, id)
}

// EngineView is an engine. The command line prints it as JSON.
type EngineView struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Default bool   `json:"default"` // for new goals
	Path    string `json:"path"`    // "" if it is not installed
	Version string `json:"version"` // "" if it is not known
	Tested  bool   `json:"tested"`  // this version of it was tested with this version of Goalpost
	Note    string `json:"note"`
	Install string `json:"install"` // the command that installs it, "" for Goalpost's own loop
	Licence string `json:"licence"`
	// Credentials says which keys and sign-ins it needs, and who can read them.
	Credentials string `json:"credentials"`
}

// EngineTest is the result of an engine's test.
type EngineTest struct {
	OK     bool          `json:"ok"`
	MS     int64         `json:"ms"`
	Stages []EngineStage `json:"stages"` // up to the one that failed
}

// EngineStage is a part of an engine's test.
type EngineStage struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // why it failed, "" if it did not
}
