// Package tools contains the tools that an agent can call. Each tool has one file, and a .md of the same name that
// describes the tool and its arguments to the model. A tool computes its effect before it does anything, and answers
// invalid arguments with an error that says what to do.
//
// New makes the tools of one goal. They have no state and may be called concurrently.
package tools

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"goalpost/backend/agent/tools/description"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
	"goalpost/backend/lib/toolschema"
)

//go:embed *.md
var descriptions embed.FS

// Tool is an action that a model can call.
type Tool interface {
	Spec() goal.ToolSpec
	Effect(ctx context.Context, args json.RawMessage) (policy.Effect, error)
	Do(ctx context.Context, args json.RawMessage) goal.Result
}

// tool is a Tool whose arguments are an A.
type tool[A any] struct {
	spec   goal.ToolSpec
	schema *toolschema.Schema
	effect func(context.Context, A) (policy.Effect, error)
	do     func(context.Context, A) goal.Result
	show   func(context.Context, A) string // nil if the user needs only the arguments
}

// defineTool makes a tool from its argument type, its effect and its handler. An error is a mistake in this package,
// which a test finds.
func defineTool[A any](
	name string, effect func(context.Context, A) (policy.Effect, error), do func(context.Context, A) goal.Result,
) (Tool, error) {
	d, err := definitionOf[A](name)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", name, err)
	}
	return &tool[A]{d.spec, d.arguments, effect, do, nil}, nil
}

// definition is what a model sees of a tool, and the schema of its arguments. It is never modified.
type definition struct {
	spec      goal.ToolSpec
	arguments *toolschema.Schema
}

// definitions caches definitions by the names of their tools, because making schemas takes most of the time of New, and
// they are the same for all goals.
var definitions sync.Map // string to definition

func definitionOf[A any](name string) (definition, error) {
	if d, ok := definitions.Load(name); ok {
		if d, ok := d.(definition); ok {
			return d, nil
		}
	}
	markdown, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		return definition{}, fmt.Errorf("reading its description: %w", err)
	}
	t, err := description.Read[A](string(markdown))
	if err != nil {
		return definition{}, fmt.Errorf("reading its description: %w", err)
	}
	dropNullFromArrays(t.Schema)
	schema, err := json.Marshal(t.Schema)
	if err != nil {
		return definition{}, fmt.Errorf("encoding its schema: %w", err)
	}
	arguments, err := toolschema.Parse(schema)
	if err != nil {
		return definition{}, err
	}
	d := definition{
		spec:      goal.ToolSpec{Name: name, Description: t.Text, Schema: schema, Group: groupOf(name)},
		arguments: arguments,
	}
	definitions.Store(name, d)
	return d, nil
}

// withPreview adds a function that describes a call for the user, besides its arguments.
func withPreview[A any](t Tool, err error, show func(context.Context, A) string) (Tool, error) {
	if of, ok := t.(*tool[A]); ok && err == nil {
		of.show = show
	}
	return t, err
}

// Show describes what a call would change or send, for the user who is asked to approve it; "" if the arguments show
// everything.
func (t *tool[A]) Show(ctx context.Context, c goal.Call) string {
	args, err := t.parse(json.RawMessage(c.Arguments))
	if err != nil || t.show == nil {
		return ""
	}
	return t.show(ctx, args)
}

// dropNullFromArrays removes null from the types of arrays, because not every provider supports two types, and null
// means the same as [].
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

// defaultResultBytes limits the part of a result that the model gets at once, in bytes, unless the tool sets another
// budget. No single call can fill the context window.
const defaultResultBytes = 16 << 10

// parse checks the arguments before it decodes them, so that an error names the argument.
func (t *tool[A]) parse(raw json.RawMessage) (args A, err error) {
	if err := t.schema.Check(t.spec.Name, string(raw)); err != nil {
		return args, err
	}
	var field *json.UnmarshalTypeError
	switch err := json.Unmarshal(raw, &args); {
	case errors.As(err, &field):
		return args, fmt.Errorf("the arguments of %s do not fit: %q is out of range", t.spec.Name, field.Field)
	case err != nil:
		return args, fmt.Errorf("the arguments of %s do not fit: %w", t.spec.Name, err)
	}
	return args, nil
}

func failedResult(format string, a ...any) goal.Result {
	return goal.Result{Text: fmt.Sprintf(format, a...)}
}

func okResult(format string, a ...any) goal.Result {
	return goal.Result{OK: true, Text: fmt.Sprintf(format, a...)}
}

// wrapOutside marks text from a terminal, a page or a file as untrusted.
func wrapOutside(source, content string) string { return text.WrapUntrusted(source, content) }

// defineControl makes a control tool, which acts on the run in its context and has no risk level. Outside a run, it
// returns an error and does nothing. check rejects arguments that fit the schema but are empty; it may be nil.
func defineControl[A any](
	name string, check func(A) error, do func(context.Context, goal.RunControl, A) goal.Result,
) (Tool, error) {
	return defineTool(name, func(_ context.Context, a A) (policy.Effect, error) {
		if check != nil {
			if err := check(a); err != nil {
				return policy.Effect{}, err
			}
		}
		return policy.Effect{Control: true}, nil
	}, func(ctx context.Context, a A) goal.Result {
		run, inRun := goal.RunOf(ctx)
		if !inRun {
			return failedResult(`{"success":false,"message":"%s called outside an active goal run."}`, name)
		}
		return do(ctx, run.Control, a)
	})
}

// okUnless returns a success with a formatted text, or a failure with err if it is not nil.
func okUnless(err error, format string, a ...any) goal.Result {
	if err != nil {
		return failedResult("%s", err)
	}
	return okResult(format, a...)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
