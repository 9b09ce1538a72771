package calls

import (
	"goalpost/backend/goals/api"
)

// Suggest proposes checks from the objective, the folder, running servers and the model, if one is connected. It runs
// none of them.
func (ga *GoalAPI) Suggest(in api.SuggestInput) (out api.SuggestOutput, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Suggester.Suggest(ga.ctx, in)
}

// TrySuggested runs a proposed check as pre-flight would, but in a copy of the folder, so that it cannot change the
// user's files.
func (ga *GoalAPI) TrySuggested(in api.TryInput) (out api.TryOutput, err error) {
	defer ga.recoverProblem(&err)
	v, err := ga.goals.Suggester.TrySuggested(ga.ctx, in)
	if err != nil {
		return out, err
	}
	return api.NewTryOutput(v), nil
}

// Folders offers folders for a goal while the user types one; ~ is the user's home folder.
func (ga *GoalAPI) Folders(typed string) (out api.FolderOffer, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Intake.Folders(ga.ctx, typed)
}

// MakeFolder makes a folder in which a goal can work, and returns its path.
func (ga *GoalAPI) MakeFolder(path string) (dir string, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Intake.MakeFolder(path)
}
