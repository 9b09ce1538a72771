package api

import (
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/library"
)

// LibraryEntry is one persona, skill or template, and where it is.
type LibraryEntry struct {
	Kind        library.Kind  `json:"kind"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Owner       library.Owner `json:"owner"`
	Path        string        `json:"path"`    // of its file, "" if it is built in
	Trusted     bool          `json:"trusted"` // always true unless it is a project's
	Problem     string        `json:"problem"` // why it cannot be used, "" if it can
	Notes       []string      `json:"notes"`   // what in the file has no effect
	Text        string        `json:"text"`    // the whole file
	// what the user gives a template
	Parameters []goal.Parameter `json:"parameters"`
}

// ViewLibraryEntry returns an entry as the page and --json show it.
func ViewLibraryEntry(e library.Entry) LibraryEntry {
	return LibraryEntry{
		Kind: e.Kind, Name: e.Name, Description: e.Description, Owner: e.Owner, Path: e.Path, Trusted: e.Trusted,
		Problem: e.Problem, Notes: append([]string{}, e.Notes...), Text: e.Text,
		Parameters: append([]goal.Parameter{}, e.Template().Parameters...),
	}
}

// LibraryKey names an entry: one of several of its name by its path.
type LibraryKey struct {
	Kind library.Kind `json:"kind"`
	Name string       `json:"name"`
	Path string       `json:"path"`
	Dir  string       `json:"dir"` // the folder for which it was listed
}

// LibraryText is the text of an entry that the user edits.
type LibraryText struct {
	Kind library.Kind `json:"kind"`
	Name string       `json:"name"`
	Text string       `json:"text"`
	New  bool         `json:"new"` // refuse to replace one
}

// InferredPersona is the persona that an objective gets, and the word of it that decided, "" if none did.
type InferredPersona struct {
	Name string `json:"name"`
	Word string `json:"word"`
}

// RecipeEntry is a recipe as the page shows it.
type RecipeEntry struct {
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Parameters  []goal.Parameter `json:"parameters"`
	Tools       []string         `json:"tools"`   // of its steps, in their order
	Problem     string           `json:"problem"` // why it cannot be used, "" if it can
	Text        string           `json:"text"`    // as YAML
}

// ViewRecipe returns a recipe as the page shows it. err says why it cannot be used.
func ViewRecipe(name, text string, r goal.Recipe, err error) RecipeEntry {
	if err != nil {
		return RecipeEntry{Name: name, Problem: err.Error()}
	}
	e := RecipeEntry{Name: name, Description: r.Description, Parameters: r.Parameters, Text: text}
	for _, step := range r.Steps {
		e.Tools = append(e.Tools, step.Tool)
	}
	return e
}
