package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"goalpost/backend/lib/fault"
)

// Registry holds the methods that a page may call, by "Struct.Method". It does not change.
type Registry struct{ methods map[string]method }

type method struct {
	call         reflect.Value
	takesContext bool           // as the first parameter
	params       []reflect.Type // without the context
	hasResult    bool           // in addition to the error
	hasError     bool           // as the last result
}

// NewRegistry collects the exported methods of pointers to structs. A method may take a context first and any JSON
// types after it; it returns (T, error), T, error or nothing. It returns an error for any other signature, which is a
// bug.
func NewRegistry(structs ...any) (*Registry, error) {
	r := &Registry{methods: map[string]method{}}
	for _, s := range structs {
		v := reflect.ValueOf(s)
		if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
			return nil, fmt.Errorf("registering %T: only pointers to structs have methods for the page", s)
		}
		for i := range v.NumMethod() {
			name := v.Elem().Type().Name() + "." + v.Type().Method(i).Name
			m, err := newMethod(v.Method(i))
			if err != nil {
				return nil, fmt.Errorf("registering %s: %w", name, err)
			}
			if _, isTaken := r.methods[name]; isTaken {
				return nil, fmt.Errorf("registering %s: the name is taken", name)
			}
			r.methods[name] = m
		}
	}
	return r, nil
}

func newMethod(v reflect.Value) (method, error) {
	t, m := v.Type(), method{call: v}
	if t.IsVariadic() {
		return m, errors.New("the page cannot call variadic methods")
	}
	for i := range t.NumIn() {
		p := t.In(i)
		if i == 0 && p == reflect.TypeFor[context.Context]() {
			m.takesContext = true
			continue
		}
		switch p.Kind() { //nolint:exhaustive // types that JSON cannot represent
		case reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
			return m, fmt.Errorf("the parameter type %s cannot come from the page", p)
		}
		m.params = append(m.params, p)
	}
	out := t.NumOut()
	if out > 0 && t.Out(out-1) == reflect.TypeFor[error]() {
		m.hasError = true
		out--
	}
	m.hasResult = out == 1
	if out > 1 {
		return m, errors.New("the page takes at most one result and an error")
	}
	return m, nil
}

// Call runs a method with JSON arguments. problemOf converts its errors; the caller recovers panics of the method.
func (r *Registry) Call(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	m, ok := r.methods[name]
	if !ok {
		return nil, fault.New(fault.NotFound, fmt.Sprintf("there is no method %.80q", name),
			"reload the page: it may be older than the program")
	}
	in, err := m.decode(ctx, name, args)
	if err != nil {
		return nil, err
	}
	out := m.call.Call(in)
	if m.hasError {
		if err, ok := out[len(out)-1].Interface().(error); ok && err != nil {
			return nil, err
		}
	}
	if !m.hasResult {
		return nil, nil //nolint:nilnil // a method without a result
	}
	return out[0].Interface(), nil
}

// decode is strict: it requires the right number of arguments, no unknown fields, and nothing after the value.
func (m method) decode(ctx context.Context, name string, args []json.RawMessage) ([]reflect.Value, error) {
	refuse := func(format string, a ...any) error {
		return fault.New(fault.Refused, name+": "+fmt.Sprintf(format, a...),
			"reload the page: it may be older than the program")
	}
	if len(args) != len(m.params) {
		return nil, refuse("got %d arguments, want %d", len(args), len(m.params))
	}
	var in []reflect.Value
	if m.takesContext {
		in = append(in, reflect.ValueOf(ctx))
	}
	for i, p := range m.params {
		v := reflect.New(p)
		d := json.NewDecoder(bytes.NewReader(args[i]))
		d.DisallowUnknownFields()
		if err := d.Decode(v.Interface()); err != nil {
			return nil, refuse("argument %d: %v", i+1, err)
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return nil, refuse("argument %d: something follows the value", i+1)
		}
		in = append(in, v.Elem())
	}
	return in, nil
}
