package toolschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"goalpost/backend/lib/text"
)

// fits reports whether a value has the form of a node.
func (n *node) fits(v any) bool { return n.problem("", v) == "" }

// maxShown limits how much of a wrong value is shown, in bytes.
const maxShown = 60

// problem says what is wrong with a value, "" if nothing is.
func (n *node) problem(path string, v any) string {
	if n.kind == "" {
		for _, one := range n.union {
			if one.problem(path, v) == "" {
				return ""
			}
		}
		return wrongKind(path, n, v)
	}
	switch value := v.(type) {
	case string:
		if n.kind == str && n.enum != nil && !slices.Contains(n.enum, value) {
			return fmt.Sprintf("%s must be one of %s", quotePath(path), strings.Join(n.enum, ", "))
		}
	case json.Number:
		_, isWhole := wholeNumber(value)
		if n.kind == number || n.kind == integer && isWhole {
			return ""
		}
	case []any:
		if n.kind != array {
			break
		}
		for i, one := range value {
			if why := n.items.problem(fmt.Sprintf("%s[%d]", path, i), one); why != "" {
				return why
			}
		}
	case map[string]any:
		if n.kind == object {
			return n.objectProblem(path, value)
		}
	}
	if kindOfValue(v) != n.kind {
		return wrongKind(path, n, v)
	}
	return ""
}

func (n *node) objectProblem(path string, in map[string]any) string {
	for _, p := range n.properties {
		value, ok := in[p.name]
		at := strings.TrimPrefix(path+"."+p.name, ".")
		if !ok && p.isRequired {
			return quotePath(at) + " is missing"
		}
		if !ok {
			continue
		}
		if why := p.node.problem(at, value); why != "" {
			return why
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		isKnown := slices.ContainsFunc(n.properties, func(p property) bool { return p.name == name })
		if n.isClosed && !isKnown {
			return "there is no " + quotePath(strings.TrimPrefix(path+"."+name, "."))
		}
	}
	return ""
}

func kindOfValue(v any) string {
	if _, ok := v.(map[string]any); ok {
		return object
	}
	return kindOf(v)
}

func quotePath(path string) string {
	if path == "" {
		return "the value"
	}
	return `"` + path + `"`
}

func wrongKind(path string, n *node, v any) string {
	shown := text.TruncateBytes(string(encode(v)), maxShown)
	return fmt.Sprintf("%s must be %s, not %s", quotePath(path), describeKinds(n), shown)
}

var kindWords = map[string]string{
	str: "a string", number: "a number", integer: "a whole number", boolean: "true or false", array: "a list",
	object: "an object", null: "null",
}

func describeKinds(n *node) string {
	var words []string
	for _, kind := range n.kinds() {
		if !slices.Contains(words, kindWords[kind]) {
			words = append(words, kindWords[kind])
		}
	}
	return strings.Join(words, " or ")
}

// Problem says in a clause what is wrong with arguments, "" if they have the form of the schema.
func (s *Schema) Problem(arguments string) string {
	value, err := decodeJSON(arguments)
	if err != nil {
		return "they are not JSON"
	}
	if _, ok := value.(map[string]any); !ok {
		return "they are not a JSON object"
	}
	return s.root.problem("", value)
}

// Check returns an error that says what is wrong with the arguments of a tool and shows right ones, nil if they have
// the form of the schema.
func (s *Schema) Check(tool, arguments string) error {
	problem := s.Problem(arguments)
	if problem == "" {
		return nil
	}
	return fmt.Errorf("the arguments of %s do not fit: %s. Right is, for example, %s", tool, problem, s.Example(arguments))
}

// Example returns arguments of the form of the schema, with those of the given ones that have it.
func (s *Schema) Example(given string) string {
	value, _ := decodeArguments(given)
	return string(encode(s.root.example("", value)))
}

// maxKept limits a given value that an example repeats, in bytes.
const maxKept = 200

// example returns a value of the form of a node. It keeps a short given value if that has the form.
func (n *node) example(name string, given any) any {
	if given != nil && n.fits(given) && len(encode(given)) <= maxKept {
		return given
	}
	switch n.kind {
	case "":
		for _, one := range n.union {
			if one.kind == kindOfValue(given) {
				return one.example(name, given)
			}
		}
		return n.union[0].example(name, given)
	case object:
		return n.objectExample(given)
	case array:
		return []any{n.items.example(strings.TrimSuffix(name, "s"), nil)}
	case number, integer:
		return 1
	case boolean:
		return true
	case null:
		return nil
	}
	if len(n.enum) > 0 {
		return n.enum[0]
	}
	return "the " + strings.ReplaceAll(name, "_", " ")
}

// objectExample returns the required properties and those that were given. Without any, it has the first one.
func (n *node) objectExample(given any) any {
	in, _ := given.(map[string]any)
	out := &members{}
	for _, p := range n.properties {
		if value, ok := in[p.name]; ok || p.isRequired {
			out.set(p.name, p.node.example(p.name, value))
		}
	}
	if len(out.names) == 0 && len(n.properties) > 0 {
		p := n.properties[0]
		out.set(p.name, p.node.example(p.name, nil))
	}
	return out
}
