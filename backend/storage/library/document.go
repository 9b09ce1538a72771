package library

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is a Markdown file with front matter.
type document struct {
	fields   map[string]any
	body     string
	isClaude bool
	read     map[string]bool // the fields that something has read
}

// parseDocument splits a file into its front matter and its text.
func parseDocument(s string, isClaude bool) (document, error) {
	d := document{fields: map[string]any{}, isClaude: isClaude, read: map[string]bool{}}
	s = strings.ReplaceAll(strings.TrimPrefix(s, "\uFEFF"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(s, "---\n")
	if !ok {
		return d, errors.New("it does not begin with front matter: a line of ---, fields, and a line of ---")
	}
	matter, body, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		matter, ok = strings.CutSuffix(strings.TrimRight("\n"+rest, "\n"), "\n---")
	}
	if !ok {
		return d, errors.New("its front matter has no end: a line of ---")
	}
	d.body = strings.TrimSpace(body)
	if err := yaml.Unmarshal([]byte(matter), &d.fields); err != nil {
		if !isClaude {
			return d, fmt.Errorf("its front matter is not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
		d.fields = plainFields(matter) // that program accepts a colon in a description
	}
	return d, nil
}

// plainFields reads lines of the form name: value.
func plainFields(matter string) map[string]any {
	fields := map[string]any{}
	for line := range strings.Lines(matter) {
		if name, value, ok := strings.Cut(line, ":"); ok && name == strings.TrimSpace(name) && name != "" {
			fields[name] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return fields
}

// string returns a field that is a text, "" if there is none.
func (d document) string(name string) string {
	d.read[name] = true
	s, ok := d.fields[name].(string)
	if !ok && d.fields[name] != nil {
		return fmt.Sprint(d.fields[name])
	}
	return strings.TrimSpace(s)
}

// list returns a field that is a list of texts, or one text with commas.
func (d document) list(name string) []string {
	d.read[name] = true
	var list []string
	switch v := d.fields[name].(type) {
	case string:
		for part := range strings.SplitSeq(v, ",") {
			list = append(list, strings.TrimSpace(part))
		}
	case []any:
		for _, part := range v {
			list = append(list, strings.TrimSpace(fmt.Sprint(part)))
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// unread returns the fields that nothing reads, sorted.
func (d document) unread() []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(d.fields)) {
		if !d.read[name] {
			list = append(list, name)
		}
	}
	return list
}

// refuseUnread refuses fields that nothing reads, unless the file belongs to another program.
func (d document) refuseUnread() error {
	if list := d.unread(); len(list) > 0 && !d.isClaude {
		return fmt.Errorf("it has the unknown field %q; the fields are %s", list[0],
			strings.Join(slices.Sorted(maps.Keys(d.read)), ", "))
	}
	return nil
}

// notes says what in the file of another program has no effect.
func (d document) notes() []string {
	var notes []string
	if d.isClaude {
		for _, name := range d.unread() {
			notes = append(notes, "the field "+name+" has no effect here")
		}
	}
	return notes
}
