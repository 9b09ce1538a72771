package calls

import (
	"context"
	"path/filepath"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/library"
)

// LibraryAPI lists and changes the files with which users teach agents, and the recipes that agents made.
type LibraryAPI struct {
	library *library.Library
	recipes *config.Config
	apiBase
}

// NewLibraryAPI makes the API; ctx is the program's life.
func NewLibraryAPI(ctx context.Context, l *library.Library, recipes *config.Config) *LibraryAPI {
	return &LibraryAPI{l, recipes, apiBase{ctx}}
}

// List lists all personas, skills and templates, the winning one of a name first. dir is a goal's folder, or "".
func (la *LibraryAPI) List(dir string) (out []api.LibraryEntry, err error) {
	defer la.recoverProblem(&err)
	out = []api.LibraryEntry{}
	for _, kind := range library.Kinds() {
		list, err := la.library.List(kind, projectDir(dir))
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			out = append(out, api.ViewLibraryEntry(e))
		}
	}
	return out, nil
}

// projectDir returns a folder that can be read as a project's, "" if it is none.
func projectDir(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// InferPersona returns the persona that an objective would get if the user chose none.
func (la *LibraryAPI) InferPersona(objective, dir string) (out api.InferredPersona, err error) {
	defer la.recoverProblem(&err)
	found, err := la.library.Infer(objective, projectDir(dir))
	return api.InferredPersona{Name: found.Name, Word: found.Word}, err
}

// FillTemplate returns the request that a template makes of the values of its parameters. dir is a goal's folder,
// or "".
func (la *LibraryAPI) FillTemplate(name, dir string, values map[string]string) (out goal.Request, err error) {
	defer la.recoverProblem(&err)
	err = la.library.FillTemplate(name, projectDir(dir), &out, values, nil)
	out.SetDefaults()
	return out, err
}

// Validate returns what is wrong with the text of an entry, "" if nothing is.
func (la *LibraryAPI) Validate(in api.LibraryText) (problem string, err error) {
	defer la.recoverProblem(&err)
	return library.Validate(library.Kind(in.Kind), in.Name, in.Text).Problem, nil
}

// Save saves one of the user's own entries.
func (la *LibraryAPI) Save(in api.LibraryText) (ok bool, err error) {
	defer la.recoverProblem(&err)
	return true, la.library.Save(library.Kind(in.Kind), in.Name, in.Text, in.New)
}

// Duplicate copies an entry of any owner into the user's own, with another name.
func (la *LibraryAPI) Duplicate(key api.LibraryKey, name string) (ok bool, err error) {
	defer la.recoverProblem(&err)
	e, err := la.library.GetAt(library.Kind(key.Kind), key.Name, key.Path, projectDir(key.Dir))
	if err != nil {
		return false, err
	}
	return true, la.library.Duplicate(e, name)
}

// Trust trusts a project's entry with the text that the user saw.
func (la *LibraryAPI) Trust(key api.LibraryKey, text string) (ok bool, err error) {
	defer la.recoverProblem(&err)
	e, err := la.library.GetAt(library.Kind(key.Kind), key.Name, key.Path, projectDir(key.Dir))
	if err != nil {
		return false, err
	}
	return true, la.library.TrustText(e, text)
}

// Delete removes one of the user's own entries. Restore undoes it.
func (la *LibraryAPI) Delete(key api.LibraryKey) (ok bool, err error) {
	defer la.recoverProblem(&err)
	return true, la.library.Delete(library.Kind(key.Kind), key.Name)
}

// Restore undoes a Delete.
func (la *LibraryAPI) Restore(key api.LibraryKey) (ok bool, err error) {
	defer la.recoverProblem(&err)
	return true, la.library.Restore(library.Kind(key.Kind), key.Name)
}

// Recipes lists the steps that agents can repeat, also those that cannot be used.
func (la *LibraryAPI) Recipes() (out []api.RecipeEntry, err error) {
	defer la.recoverProblem(&err)
	names, err := la.recipes.RecipeNames()
	if err != nil {
		return nil, err
	}
	out = []api.RecipeEntry{}
	for _, name := range names {
		recipe, err := la.recipes.Recipe(name)
		var text []byte
		if err == nil {
			text, err = config.MarshalRecipe(recipe)
		}
		out = append(out, api.ViewRecipe(name, string(text), recipe, err))
	}
	return out, nil
}

// DeleteRecipe removes a recipe. RestoreRecipe undoes it.
func (la *LibraryAPI) DeleteRecipe(name string) (ok bool, err error) {
	defer la.recoverProblem(&err)
	return true, la.recipes.DeleteRecipe(name)
}

// RestoreRecipe undoes a DeleteRecipe.
func (la *LibraryAPI) RestoreRecipe(name string) (ok bool, err error) {
	defer la.recoverProblem(&err)
	return true, la.recipes.RestoreRecipe(name)
}
