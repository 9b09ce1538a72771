package toolschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// maxQuoting is how often arguments may be encoded as a JSON string.
const maxQuoting = 3

// Coerce brings arguments into the form of the schema where their meaning is plain, such as "30" for 30. It returns
// the names of arguments that the tool does not have, which it left out. Arguments that fit, and those whose meaning
// is not plain, stay as they are.
func (s *Schema) Coerce(arguments string) (string, []string) {
	value, isObject := decodeArguments(arguments)
	if !isObject {
		return arguments, nil
	}
	c := &coercer{}
	fitting := c.coerce(s.root, value)
	if !c.hasChanged && strings.HasPrefix(strings.TrimSpace(arguments), "{") {
		return arguments, nil
	}
	return string(encode(fitting)), c.dropped
}

// decodeArguments decodes arguments, also those that are encoded as a string. Nothing and null mean no arguments.
func decodeArguments(arguments string) (map[string]any, bool) {
	for range maxQuoting {
		if strings.TrimSpace(arguments) == "" {
			return map[string]any{}, true
		}
		value, err := decodeJSON(arguments)
		if err != nil {
			return nil, false
		}
		switch value := value.(type) {
		case map[string]any:
			return value, true
		case nil:
			return map[string]any{}, true
		case string:
			arguments = value
		default:
			return nil, false
		}
	}
	return nil, false
}

// decodeJSON decodes one value, and numbers as they are written.
func decodeJSON(s string) (any, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err //nolint:wrapcheck // the callers only ask whether it is JSON
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON value")
	}
	return value, nil
}

// coercer changes one call's arguments.
type coercer struct {
	hasChanged bool
	dropped    []string
}

// coerce returns the value in the form of a node, or as it is.
func (c *coercer) coerce(n *node, v any) any {
	if n.kind == "" {
		return c.coerceUnion(n, v)
	}
	switch v := v.(type) {
	case string:
		return c.coerceText(n, v)
	case json.Number:
		return c.coerceNumber(n, v)
	case bool:
		if n.kind == str {
			return c.changed(string(encode(v)))
		}
	case map[string]any:
		if n.kind == object {
			return c.coerceObject(n, v)
		}
	case []any:
		if n.kind == array {
			list := make([]any, len(v))
			for i, one := range v {
				list[i] = c.coerce(n.items, one)
			}
			return list
		}
	}
	return c.coerceToList(n, v)
}

func (c *coercer) changed(v any) any {
	c.hasChanged = true
	return v
}

// coerceUnion chooses the alternative that the value fits, or else the first that it can be made to fit.
func (c *coercer) coerceUnion(n *node, v any) any {
	for _, one := range n.union {
		if one.fits(v) {
			return c.coerce(one, v)
		}
	}
	for _, one := range n.union {
		attempt := &coercer{}
		if made := attempt.coerce(one, v); one.fits(made) {
			c.hasChanged = c.hasChanged || attempt.hasChanged
			c.dropped = append(c.dropped, attempt.dropped...)
			return made
		}
	}
	return v
}

// coerceText reads numbers, booleans, lists and objects that are written as text.
func (c *coercer) coerceText(n *node, s string) any {
	if n.kind == str {
		if n.enum != nil && !slices.Contains(n.enum, s) {
			for _, one := range n.enum {
				if strings.EqualFold(one, strings.TrimSpace(s)) {
					return c.changed(one)
				}
			}
		}
		return s
	}
	word := strings.TrimSpace(s)
	if n.kind == boolean {
		word = strings.ToLower(word)
	}
	value, err := decodeJSON(word)
	if err == nil {
		if _, isText := value.(string); !isText {
			attempt := &coercer{}
			if made := attempt.coerce(n, value); n.fits(made) {
				c.dropped = append(c.dropped, attempt.dropped...)
				return c.changed(made)
			}
		}
	}
	return c.coerceToList(n, s)
}

// coerceNumber writes a whole number without a fraction, because 30.0 is not an integer for every reader.
func (c *coercer) coerceNumber(n *node, v json.Number) any {
	switch n.kind {
	case str:
		return c.changed(v.String())
	case integer:
		if whole, ok := wholeNumber(v); ok && whole != v {
			return c.changed(whole)
		}
		return v
	case number:
		return v
	}
	return c.coerceToList(n, v)
}

func wholeNumber(v json.Number) (json.Number, bool) {
	const maxDigits = 400
	if len(v) > maxDigits || strings.ContainsAny(v.String(), "eE") && len(v) > 10 {
		return v, false
	}
	r, ok := new(big.Rat).SetString(v.String())
	if !ok || !r.IsInt() {
		return v, false
	}
	return json.Number(r.Num().String()), true
}

// coerceToList makes a list of one value.
func (c *coercer) coerceToList(n *node, v any) any {
	if n.kind != array || v == nil {
		return v
	}
	attempt := &coercer{}
	if one := attempt.coerce(n.items, v); n.items.fits(one) {
		c.dropped = append(c.dropped, attempt.dropped...)
		return c.changed([]any{one})
	}
	return v
}

func (c *coercer) coerceObject(n *node, in map[string]any) any {
	out := map[string]any{}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(in)) {
		p := n.property(name)
		if p == nil {
			unknown = append(unknown, name)
			continue
		}
		out[p.name] = in[name]
		c.hasChanged = c.hasChanged || p.name != name
	}
	for _, name := range unknown {
		p := n.meant(name, in, out)
		switch {
		case p != nil:
			out[p.name] = c.changed(in[name])
		case n.isClosed:
			c.dropped = append(c.dropped, name)
			c.hasChanged = true
		default:
			out[name] = in[name]
		}
	}
	for i := range n.properties {
		p := &n.properties[i]
		value, ok := out[p.name]
		if !ok {
			continue
		}
		made := c.coerce(p.node, value)
		if !p.isRequired && isNothing(made) && !p.node.fits(made) {
			delete(out, p.name)
			c.hasChanged = true
			continue
		}
		out[p.name] = made
	}
	return out
}

// isNothing reports whether a value means that an argument is left out.
func isNothing(v any) bool {
	s, isText := v.(string)
	return v == nil || isText && slices.Contains([]string{"", "null", "none", "undefined"}, strings.ToLower(s))
}

// property returns the property that a name belongs to, nil if there is none.
func (n *node) property(name string) *property {
	for i, p := range n.properties {
		if p.name == name {
			return &n.properties[i]
		}
	}
	for i, p := range n.properties {
		if p.sent == name {
			return &n.properties[i]
		}
	}
	return nil
}

// meant returns the missing property that another name means, nil if there is none or more than one. An object that
// allows other properties keeps them, unless a required one is missing.
func (n *node) meant(name string, in, out map[string]any) *property {
	var found *property
	for i := range n.properties {
		p := &n.properties[i]
		_, isGiven := out[p.name]
		_, isIn := in[p.name]
		isSame := Plain(p.name) == Plain(name)
		if isGiven || isIn || !areSynonyms(p.name, name) || !isSame && !n.isClosed && !p.isRequired {
			continue
		}
		if isSame {
			return p
		}
		if found != nil {
			if found.isRequired == p.isRequired {
				return nil
			}
			if found.isRequired {
				continue
			}
		}
		found = p
	}
	return found
}
