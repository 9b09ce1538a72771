package goal

import (
	"encoding/json"
	"fmt"
	"strconv"

	"goalpost/backend/lib/text"
)

// Parameter is a value chosen for each use: {{name}} in a recipe or a template.
type Parameter struct {
	Name        string  `yaml:"name" json:"name"`
	Description string  `yaml:"description,omitempty" json:"description"`
	Default     *string `yaml:"default,omitempty" json:"default"` // nil: a value is required
	// an argument that consists of the parameter alone is a number
	Number bool `yaml:"number,omitempty" json:"number"`
}

var parameterName = text.NewPattern(`^[a-z][a-z0-9_]{0,39}$`)

// ValidateParameters refuses names that are not valid or occur twice.
func ValidateParameters(list []Parameter) error {
	names := map[string]bool{}
	for _, p := range list {
		if !parameterName.MatchString(p.Name) || names[p.Name] {
			return fmt.Errorf("%q is not a valid parameter name, or occurs twice; use lower-case letters, digits and _",
				text.TruncateBytes(p.Name, 80))
		}
		names[p.Name] = true
	}
	return nil
}

// BindParameters returns what replaces each parameter: the given value, or its default.
func BindParameters(list []Parameter, values map[string]string) (Bindings, error) {
	fill := Bindings{}
	for _, p := range list {
		v, isGiven := values[p.Name]
		switch {
		case !isGiven && p.Default == nil:
			return nil, fmt.Errorf("the parameter %s needs a value: %s", p.Name, p.Description)
		case !isGiven:
			v = *p.Default
		}
		if _, err := strconv.ParseFloat(v, 64); p.Number && err != nil {
			return nil, fmt.Errorf("the parameter %s is a number, not %q", p.Name, text.TruncateBytes(v, 80))
		}
		fill["{{"+p.Name+"}}"] = replacement{v, p.Number}
	}
	for name := range values {
		if _, ok := fill["{{"+name+"}}"]; !ok {
			return nil, fmt.Errorf("there is no parameter %q", text.TruncateBytes(name, 80))
		}
	}
	return fill, nil
}

// Placeholders returns the names of all parameters that a text could have, once for each occurrence.
func Placeholders(s string) []string {
	names := placeholder.FindAllString(s, -1)
	for i, name := range names {
		names[i] = name[len("{{") : len(name)-len("}}")]
	}
	return names
}

type replacement struct {
	text   string
	number bool
}

// Bindings maps each {{name}} to its replacement. A value is inserted unchanged: placeholders in it are not
// replaced.
type Bindings map[string]replacement

var placeholder = text.NewPattern(`\{\{[a-z][a-z0-9_]*\}\}`)

func (b Bindings) apply(v any) any {
	switch v := v.(type) {
	case string:
		if by, ok := b[v]; ok && by.number {
			return json.Number(by.text)
		}
		return b.Text(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = b.apply(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for k := range v {
			object[k] = b.apply(v[k])
		}
		return object
	}
	return v
}

// Text replaces the parameters in a text.
func (b Bindings) Text(s string) string {
	return placeholder.ReplaceAllStringFunc(s, func(name string) string {
		if by, ok := b[name]; ok {
			return by.text
		}
		return name
	})
}
