package api

import "context"

// Engines are what can drive goals.
type Engines interface {
	Engines() []EngineView
	UseEngine(id string) error
	TestEngine(ctx context.Context, id string) (EngineTest, error)
}

// EngineAPI is for what drives goals: Goalpost's own loop, and external agents on this computer.
type EngineAPI struct {
	engines Engines
	apiBase
}

// NewEngineAPI makes the API; ctx is the program's life.
func NewEngineAPI(ctx context.Context, e Engines) *EngineAPI {
	return &EngineAPI{engines: e, apiBase: apiBase{ctx}}
}

// List lists all engines, Goalpost's own loop first, and what is missing. It starts nothing.
func (a *EngineAPI) List() (out []EngineView, err error) {
	defer a.recoverProblem(&err)
	return a.engines.Engines(), nil
}

// Use sets the engine of new goals.
func (a *EngineAPI) Use(id string) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.engines.UseEngine(id)
}

// Test lets an external agent write one file, as a goal in an empty folder with the active model. Goal and folder are
// deleted afterwards.
func (a *EngineAPI) Test(id string) (out EngineTest, err error) {
	defer a.recoverProblem(&err)
	return a.engines.TestEngine(a.ctx, id)
}

// EngineView is what can drive a goal. The command line prints it as JSON.
type EngineView struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Default bool   `json:"default"` // for new goals
	Path    string `json:"path"`    // "" if it is not installed
	Version string `json:"version"` // "" if it is not known
	Tested  bool   `json:"tested"`  // this version, with this version of Goalpost
	Note    string `json:"note"`
	Install string `json:"install"` // the command that installs it, "" of Goalpost's own loop
	Licence string `json:"licence"`
	// Credentials says which keys and sign-ins it needs, and who can read them.
	Credentials string `json:"credentials"`
}

// EngineTest is how the test of an engine ended.
type EngineTest struct {
	OK     bool          `json:"ok"`
	MS     int64         `json:"ms"`
	Stages []EngineStage `json:"stages"` // as far as it came
}

// EngineStage is a part of the test.
type EngineStage struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // why it failed, "" if it did not
}
