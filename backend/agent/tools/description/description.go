// Package description reads the Markdown that describes a tool and its arguments to a model:
//
//	Run a recipe in a terminal pane.
//
//	## Arguments
//
//	- `pane`: the terminal pane
//	- `values`: a value for each parameter that should not keep
//	  its default
//	- `values[].name`: the parameter
//
// The text above the heading is the description of the tool. Each line of the list describes one argument, or a member
// of one. It continues in lines that are indented by two spaces, which one space joins. A tool without arguments has
// neither heading nor list.
package description

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

const heading = "## Arguments"

// Tool is a tool as a model sees it, without its name.
type Tool struct {
	Text   string
	Schema *jsonschema.Schema // of the arguments, with their descriptions
}

// Read reads the description of a tool whose arguments are an A. It refuses an argument without a description, a
// description of an argument that A does not have, and one beside that of a struct tag.
func Read[A any](markdown string) (Tool, error) {
	text, list, err := splitHeading(markdown)
	if err != nil {
		return Tool{}, err
	}
	descriptions, err := parseList(list)
	if err != nil {
		return Tool{}, err
	}
	t := Tool{Text: text}
	if t.Schema, err = jsonschema.For[A](nil); err != nil {
		return Tool{}, fmt.Errorf("making the schema: %w", err)
	}
	var undescribed []string
	for path, argument := range argumentsOf(t.Schema, "") {
		described, ok := descriptions[path]
		switch {
		case ok && argument.Description != "":
			return Tool{}, fmt.Errorf("the argument %s has a description in its struct tag, too", path)
		case ok:
			argument.Description = described
		case argument.Description == "":
			undescribed = append(undescribed, path)
		}
		delete(descriptions, path)
	}
	if len(descriptions) > 0 {
		unknown := slices.Sorted(maps.Keys(descriptions))
		return Tool{}, fmt.Errorf("there are no arguments %s to describe", strings.Join(unknown, ", "))
	}
	if len(undescribed) > 0 {
		slices.Sort(undescribed)
		return Tool{}, fmt.Errorf("the arguments %s have no description", strings.Join(undescribed, ", "))
	}
	return t, nil
}

// splitHeading splits Markdown into the text above the heading and the lines of the list below it.
func splitHeading(markdown string) (text string, list []string, err error) {
	text, below, found := strings.Cut(markdown, "\n"+heading+"\n")
	if text = strings.TrimSpace(text); text == "" {
		return "", nil, fmt.Errorf("the description of the tool is empty")
	}
	if !found {
		return text, nil, nil
	}
	below, ok := strings.CutPrefix(below, "\n")
	if below = strings.TrimSuffix(below, "\n"); !ok || below == "" {
		return "", nil, fmt.Errorf("below %q, an empty line and a list must follow", heading)
	}
	return text, strings.Split(below, "\n"), nil
}

// parseList returns the descriptions in a list by the paths of their arguments.
func parseList(lines []string) (map[string]string, error) {
	descriptions := map[string]string{}
	last := ""
	for _, line := range lines {
		entry, isEntry := strings.CutPrefix(line, "- `")
		path, text, hasText := strings.Cut(entry, "`: ")
		more, isMore := strings.CutPrefix(line, "  ")
		switch _, described := descriptions[path]; {
		case isEntry && hasText && path != "" && isTrimmed(text) && !described:
			descriptions[path], last = text, path
		case isEntry && described:
			return nil, fmt.Errorf("the argument %s is described twice", path)
		case isMore && last != "" && isTrimmed(more):
			descriptions[last] += " " + more
		default:
			return nil, fmt.Errorf("the line %q is neither \"- `ARGUMENT`: DESCRIPTION\" nor the rest of one, "+
				"indented by two spaces", line)
		}
	}
	return descriptions, nil
}

// isTrimmed reports whether a text is not empty and has no spaces around it.
func isTrimmed(s string) bool { return s != "" && s == strings.TrimSpace(s) }

// argumentsOf returns the properties of a schema and of the schemas in it, by their paths.
func argumentsOf(s *jsonschema.Schema, prefix string) map[string]*jsonschema.Schema {
	found := map[string]*jsonschema.Schema{}
	for name, p := range s.Properties {
		path := prefix + name
		found[path] = p
		for ; p.Items != nil; p = p.Items {
			path += "[]"
		}
		maps.Copy(found, argumentsOf(p, path+"."))
	}
	return found
}
