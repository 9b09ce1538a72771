package toolschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// members is a JSON object that remembers the order of its names.
type members struct {
	names  []string
	values map[string]any // *members, []any, string, json.Number, bool or nil
}

func (m *members) get(name string) any { return m.values[name] }

func (m *members) has(name string) bool {
	_, ok := m.values[name]
	return ok
}

func (m *members) set(name string, value any) {
	if m.values == nil {
		m.values = map[string]any{}
	}
	if !m.has(name) {
		m.names = append(m.names, name)
	}
	m.values[name] = value
}

// without returns a copy without some names.
func (m *members) without(names ...string) *members {
	out := &members{}
	for _, name := range m.names {
		if !slices.Contains(names, name) {
			out.set(name, m.values[name])
		}
	}
	return out
}

func (m *members) text(name string) string {
	s, _ := m.get(name).(string)
	return s
}

func (m *members) list(name string) []any {
	list, _ := m.get(name).([]any)
	return list
}

func (m *members) object(name string) *members {
	o, _ := m.get(name).(*members)
	return o
}

// MarshalJSON writes the members in their order.
func (m *members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range m.names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(name))
		b.WriteByte(':')
		b.Write(encode(m.values[name]))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode encodes a value without escaping <, > and &.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null") // cannot happen: values come from JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// decodeOrdered decodes one JSON value.
func decodeOrdered(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	value, err := decodeValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON value")
	}
	return value, nil
}

func decodeValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("decoding JSON: %w", err)
	}
	switch token {
	case json.Delim('{'):
		m := &members{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, fmt.Errorf("decoding JSON: %w", err)
			}
			value, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			if name, ok := name.(string); ok {
				m.set(name, value)
			}
		}
		_, err = d.Token()
		return m, err //nolint:wrapcheck // the caller adds what is read
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = d.Token()
		return list, err //nolint:wrapcheck // the caller adds what is read
	}
	return token, nil
}
