package library

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

// Template is a goal that the user starts again and again, with parameters for what differs.
type Template struct {
	Objective  string
	Parameters []goal.Parameter
	fields     []templateField // in the order in which they are set
}

// templateField is one text of a flag of run.
type templateField struct{ flag, text string }

// Template returns the template of an entry of that kind.
func (e Entry) Template() Template { return e.template }

// parseTemplate reads a template: its text is the objective, and its fields are the flags of run.
func (e *Entry) parseTemplate(d document) error {
	t := Template{Objective: d.body}
	if t.Objective == "" {
		return errors.New("it has no text below its front matter, which is the objective")
	}
	var err error
	if t.Parameters, err = parseParameters(d); err != nil {
		return err
	}
	var r goal.Request
	for _, f := range r.Flags() {
		if value, ok := d.fields[f.Name]; ok {
			d.read[f.Name] = true
			t.fields = append(t.fields, fieldsOf(f.Name, value)...)
		}
	}
	if list := d.unread(); len(list) > 0 {
		return fmt.Errorf("it has the unknown field %q; besides name, description and parameters, the fields are the "+
			"flags of run", list[0])
	}
	e.template = t
	return t.validate()
}

func parseParameters(d document) (list []goal.Parameter, err error) {
	d.read["parameters"] = true
	if d.fields["parameters"] == nil {
		return nil, nil
	}
	b, err := yaml.Marshal(d.fields["parameters"])
	if err != nil {
		return nil, fmt.Errorf("its parameters: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(b))
	decoder.KnownFields(true)
	if err := decoder.Decode(&list); err != nil {
		return nil, errors.New("its parameters are not a list of name, description, default and number")
	}
	return list, goal.ValidateParameters(list)
}

// fieldsOf returns the texts of a field: one, one for each item of a list, or, for a check with details, that of the
// check and those of its details.
func fieldsOf(flag string, value any) (list []templateField) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			list = append(list, fieldsOf(flag, item)...)
		}
	case map[string]any:
		list = append(list, fieldsOf(flag, v[flag])...)
		if flag == "check" {
			list = append(list, fieldsOf("with", v["with"])...)
		}
	case nil:
	default:
		list = append(list, templateField{flag, fmt.Sprint(v)})
	}
	return list
}

// validate refuses placeholders without a parameter, parameters without a placeholder, and texts that no flag accepts.
func (t Template) validate() error {
	used := goal.Placeholders(t.Objective)
	plain := Template{Objective: t.Objective}
	for _, f := range t.fields {
		names := goal.Placeholders(f.text)
		used = append(used, names...)
		if len(names) == 0 || f.flag == "check" {
			plain.fields = append(plain.fields, f)
		}
	}
	declared := map[string]bool{}
	for _, p := range t.Parameters {
		declared[p.Name] = true
		if !slices.Contains(used, p.Name) {
			return fmt.Errorf("it does not use its parameter %s: write {{%[1]s}} where its value goes", p.Name)
		}
	}
	for _, name := range used {
		if !declared[name] {
			return fmt.Errorf("{{%s}} is not one of its parameters", name)
		}
	}
	return plain.apply(&goal.Request{}, goal.Bindings{}, nil)
}

// Apply sets what a template says in a request, with the values of its parameters. It leaves the flags that skip
// names as they are.
func (t Template) Apply(r *goal.Request, values map[string]string, skip func(flag string) bool) error {
	bindings, err := goal.BindParameters(t.Parameters, values)
	if err != nil {
		return fault.Invalid("parameters", err.Error(), "give each parameter a value")
	}
	return t.apply(r, bindings, skip)
}

func (t Template) apply(r *goal.Request, bindings goal.Bindings, skip func(flag string) bool) error {
	if r.Objective == "" {
		r.Objective = bindings.Text(t.Objective)
	}
	flags := r.Flags()
	for _, f := range t.fields {
		i := slices.IndexFunc(flags, func(one goal.Flag) bool { return one.Name == f.flag })
		if skip != nil && (skip(f.flag) || f.flag == "with" && skip("check")) {
			continue
		}
		if err := flags[i].Set(bindings.Text(f.text)); err != nil {
			return fmt.Errorf("the field %s: %w", f.flag, err)
		}
	}
	return nil
}

// FillTemplate sets what the template with a name says in a request. dir is the project's folder: a project's
// template works there unless it says otherwise.
func (l *Library) FillTemplate(
	name, dir string, r *goal.Request, values map[string]string, skip func(flag string) bool,
) error {
	e, err := l.Find(Templates, name, dir)
	if err != nil {
		return err
	}
	if err := e.template.Apply(r, values, skip); err != nil {
		return fmt.Errorf("the template %s: %w", name, err)
	}
	switch {
	case skip != nil && skip("dir"):
	case r.Dir == "" && e.Owner == OwnerProject:
		r.Dir = dir
	case r.Dir != "" && !filepath.IsAbs(r.Dir) && r.Dir[0] != '~':
		r.Dir = filepath.Join(dir, r.Dir)
	}
	return nil
}
