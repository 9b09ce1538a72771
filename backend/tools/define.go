// Package tools has the tools that an agent may call. One tool is one file, with its description for the model beside
// it in a .md of the same name. A tool computes its effect before it does anything, and refuses arguments that do not
// fit its schema with an error that says what to do.
//
// New makes the tools of one goal; they have no state of their own and may be called concurrently.
package tools

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

//go:embed *.md
var descriptions embed.FS

// Tool is one thing that a model may call.
type Tool interface {
	Spec() goal.ToolSpec
	Effect(ctx context.Context, args json.RawMessage) (policy.Effect, error)
	Do(ctx context.Context, args json.RawMessage) goal.Result
}

// tool is a Tool whose arguments are an A.
type tool[A any] struct {
	spec   goal.ToolSpec
	schema func() (*jsonschema.Resolved, error)
	effect func(context.Context, A) (policy.Effect, error)
	do     func(context.Context, A) goal.Result
	show   func(context.Context, A) string // nil if the arguments say everything
}

// defineTool makes a tool from its argument type, its effect and its handler. It fails only on a mistake in this
// package, which a test finds.
func defineTool[A any](
	name string, effect func(context.Context, A) (policy.Effect, error), do func(context.Context, A) goal.Result,
) (Tool, error) {
	description, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		return nil, fmt.Errorf("tool %s has no description: %w", name, err)
	}
	arguments, err := schemaOf[A]()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", name, err)
	}
	spec := goal.ToolSpec{
		Name:        name,
		Description: strings.TrimSpace(string(description)),
		Schema:      arguments.raw,
		Group:       groupOf(name),
	}
	return &tool[A]{spec, arguments.resolved, effect, do, nil}, nil
}

// argSchema is the schema of an argument type. It is never modified. Its validator is made at the first call: a goal
// calls few of its tools.
type argSchema struct {
	raw      json.RawMessage
	resolved func() (*jsonschema.Resolved, error)
}

// argSchemas are cached by type: making them is nearly all of the work of making a goal's tools, and they are the
// same for every goal of the process.
var argSchemas sync.Map // reflect.Type to argSchema

func schemaOf[A any]() (argSchema, error) {
	of := reflect.TypeFor[A]()
	if s, ok := argSchemas.Load(of); ok {
		if s, ok := s.(argSchema); ok {
			return s, nil
		}
	}
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		return argSchema{}, fmt.Errorf("its arguments: %w", err)
	}
	dropNullFromArrays(schema)
	s := argSchema{resolved: sync.OnceValues(func() (*jsonschema.Resolved, error) { return schema.Resolve(nil) })}
	if s.raw, err = json.Marshal(schema); err != nil {
		return argSchema{}, fmt.Errorf("its arguments: %w", err)
	}
	argSchemas.Store(of, s)
	return s, nil
}

// withPreview adds what a user is shown of a call besides its arguments.
func withPreview[A any](t Tool, err error, show func(context.Context, A) string) (Tool, error) {
	if of, ok := t.(*tool[A]); ok && err == nil {
		of.show = show
	}
	return t, err
}

// Show describes what a call would change or send, for a user who is asked about it; "" if its arguments say
// everything.
func (t *tool[A]) Show(ctx context.Context, c goal.Call) string {
	args, err := t.parse(json.RawMessage(c.Arguments))
	if err != nil || t.show == nil {
		return ""
	}
	return t.show(ctx, args)
}

// dropNullFromArrays removes null from the types of a list: not every provider understands two types, and null means
// the same as [].
func dropNullFromArrays(s *jsonschema.Schema) {
	for _, p := range s.Properties {
		if slices.Equal(p.Types, []string{"null", "array"}) {
			p.Type, p.Types = "array", nil
		}
		dropNullFromArrays(p)
	}
	if s.Items != nil {
		dropNullFromArrays(s.Items)
	}
}

func (t *tool[A]) Spec() goal.ToolSpec { return t.spec }

func (t *tool[A]) Effect(ctx context.Context, raw json.RawMessage) (policy.Effect, error) {
	args, err := t.parse(raw)
	if err != nil {
		return policy.Effect{}, err
	}
	return t.effect(ctx, args)
}

func (t *tool[A]) Do(ctx context.Context, raw json.RawMessage) goal.Result {
	args, err := t.parse(raw)
	if err != nil {
		return failedResult("%s", err)
	}
	r := t.do(ctx, args)
	if r.Budget == 0 {
		r.Budget = defaultResultBytes
	}
	return r
}

// defaultResultBytes is how much of a result the model gets at once, in bytes, unless the tool sets another budget:
// no single call fills the context window.
const defaultResultBytes = 16 << 10

// parse validates against the schema before anything is decoded, so that an error names the argument.
func (t *tool[A]) parse(raw json.RawMessage) (args A, err error) {
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return args,
			fmt.Errorf("the arguments of %s are not a JSON object (%w). Send one like %s", t.spec.Name, err, t.spec.Schema)
	}
	schema, err := t.schema()
	if err != nil { // a mistake in this package, which a test finds
		return args, fmt.Errorf("the schema of %s: %w", t.spec.Name, err)
	}
	if err := schema.Validate(object); err != nil {
		return args, fmt.Errorf("the arguments of %s do not fit: %w. The schema is %s", t.spec.Name, err, t.spec.Schema)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&args); err != nil {
		return args, fmt.Errorf("the arguments of %s do not fit: %w", t.spec.Name, err)
	}
	return args, nil
}

func failedResult(format string, a ...any) goal.Result {
	return goal.Result{Text: fmt.Sprintf(format, a...)}
}

func ok(format string, a ...any) goal.Result {
	return goal.Result{OK: true, Text: fmt.Sprintf(format, a...)}
}

// wrapOutside wraps text that comes from a terminal, a page or a file.
func wrapOutside(source, text string) string { return goal.WrapUntrusted(source, text) }
