package calls

import (
	"context"

	"goalpost/backend/goals/api"
	"goalpost/backend/goals/lifecycle"
)

// EngineAPI lists, selects and tests the engines of goals: Goalpost's own loop, and external agents on this computer.
type EngineAPI struct {
	engines *lifecycle.Service
	apiBase
}

// NewEngineAPI makes the API; ctx is the program's life.
func NewEngineAPI(ctx context.Context, e *lifecycle.Service) *EngineAPI {
	return &EngineAPI{engines: e, apiBase: apiBase{ctx}}
}

// List lists all engines, Goalpost's own loop first, and what they lack. It starts none.
func (e *EngineAPI) List() (out []api.EngineView, err error) {
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
func (e *EngineAPI) Test(id string) (out api.EngineTest, err error) {
	defer e.recoverProblem(&err)
	return e.engines.TestEngine(e.ctx, id)
}
