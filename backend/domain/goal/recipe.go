package goal

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"goalpost/backend/lib/text"
)

// Recipe is a range of a goal's steps that can be repeated with other values.
type Recipe struct {
	Name        string       `yaml:"name" json:"name"`
	Description string       `yaml:"description" json:"description"`
	Parameters  []Parameter  `yaml:"parameters,omitempty" json:"parameters"`
	Steps       []RecipeStep `yaml:"steps" json:"steps"`
}

// RecipeStep is one call.
type RecipeStep struct {
	Tool      string         `yaml:"tool" json:"tool"`
	Arguments map[string]any `yaml:"arguments,omitempty" json:"arguments"`
	OnFail    string         `yaml:"on_fail,omitempty" json:"on_fail"` // "" stops, "continue"
}

// MaxRecipe is the maximum number of steps in a recipe.
const MaxRecipe = 50

var recipeName = text.NewPattern(`^[a-z0-9][a-z0-9-]{0,59}$`)

// ValidateRecipeName refuses names that are not valid file names on every system.
func ValidateRecipeName(name string) error {
	if !recipeName.MatchString(name) {
		return fmt.Errorf("%q is not a valid recipe name; use lower-case letters, digits and -, at most 60",
			text.TruncateBytes(name, 80))
	}
	return nil
}

// Validate refuses a recipe that could not be used.
func (r Recipe) Validate() error {
	if err := ValidateRecipeName(r.Name); err != nil {
		return err
	}
	if len(r.Steps) == 0 || len(r.Steps) > MaxRecipe {
		return fmt.Errorf("a recipe has 1 to %d steps, not %d", MaxRecipe, len(r.Steps))
	}
	if err := ValidateParameters(r.Parameters); err != nil {
		return err
	}
	for i, s := range r.Steps {
		if s.Tool == "" || s.OnFail != "" && s.OnFail != "continue" {
			return fmt.Errorf("step %d names no tool, or its on_fail is neither empty nor continue", i+1)
		}
	}
	return nil
}

// Fill returns the calls with the given values. Placeholders that are not parameters, such as {{secret:NAME}},
// stay.
func (r Recipe) Fill(values map[string]string) ([]Call, error) {
	fill, err := BindParameters(r.Parameters, values)
	if err != nil {
		return nil, fmt.Errorf("the recipe %s: %w", r.Name, err)
	}
	calls := make([]Call, len(r.Steps))
	for i, s := range r.Steps {
		arguments := map[string]any{}
		for k, v := range s.Arguments {
			arguments[k] = fill.apply(v)
		}
		b, err := json.Marshal(arguments)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		calls[i] = Call{Tool: s.Tool, Arguments: string(b)}
	}
	return calls, nil
}

// RecipeFromCalls makes a recipe from executed calls: it replaces each occurrence of a parameter's value in their
// arguments with the parameter. The value becomes its default unless keep is false. A short value must be a whole
// argument.
func RecipeFromCalls(name, description string, calls []Call, parameters []Parameter) (Recipe, error) {
	r := Recipe{Name: name, Description: description, Parameters: parameters}
	for _, p := range parameters {
		if p.Default == nil || *p.Default == "" {
			return r, fmt.Errorf("the parameter %s has no value to look for in the steps", p.Name)
		}
	}
	used := map[string]bool{}
	for i, c := range calls {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(c.Arguments), &arguments); err != nil && strings.TrimSpace(c.Arguments) != "" {
			return r, fmt.Errorf("call %d: %w", i+1, err)
		}
		for k, v := range arguments {
			arguments[k] = insertParameters(v, r.Parameters, used)
		}
		r.Steps = append(r.Steps, RecipeStep{Tool: c.Tool, Arguments: arguments})
	}
	for _, p := range parameters {
		if !used[p.Name] {
			return r, fmt.Errorf("the value %q of the parameter %s does not occur in the steps",
				text.TruncateBytes(*p.Default, 80),
				p.Name)
		}
	}
	if len(r.Steps) == 0 {
		return r, errors.New("there is no step to save in that range")
	}
	return r, r.Validate()
}

func insertParameters(v any, parameters []Parameter, used map[string]bool) any {
	const short = 4
	switch v := v.(type) {
	case string:
		for _, p := range parameters {
			if v == *p.Default || len(*p.Default) >= short && strings.Contains(v, *p.Default) {
				used[p.Name] = true
				v = strings.ReplaceAll(v, *p.Default, "{{"+p.Name+"}}")
			}
		}
		return v
	case float64:
		for i, p := range parameters {
			if n, err := strconv.ParseFloat(*p.Default, 64); err == nil && n == v {
				used[p.Name], parameters[i].Number = true, true
				return "{{" + p.Name + "}}"
			}
		}
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v) // written as an integer, because not every parser accepts 1e+06 as one
		}
	case []any:
		for i := range v {
			v[i] = insertParameters(v[i], parameters, used)
		}
	case map[string]any:
		for k := range v {
			v[k] = insertParameters(v[k], parameters, used)
		}
	}
	return v
}
