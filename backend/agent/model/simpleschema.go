package model

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Limits of a simplified schema, needed for schemas that refer to themselves.
const (
	maxSchemaDepth = 16
	maxSchemaParts = 1000
)

// simplifySchema keeps the part of JSON Schema that every server understands: types, properties, items, required names,
// enums of strings, and descriptions. Of several alternative schemas it keeps the first; a reference is replaced by its
// target. The rest is checked when the tool is called.
func simplifySchema(raw json.RawMessage) json.RawMessage {
	var schema map[string]any
	if json.Unmarshal(raw, &schema) != nil || schema == nil {
		return raw
	}
	s := simplerSchema{root: schema}
	b, err := encodeJSON(s.simplify(schema, 0))
	if err != nil {
		return raw // cannot happen: it was read from JSON
	}
	return b
}

// simplerSchema simplifies the parts of a schema.
type simplerSchema struct {
	root  map[string]any // where references lead
	parts int            // so far
}

func (s *simplerSchema) simplify(schema map[string]any, depth int) map[string]any {
	simple := map[string]any{}
	if s.parts++; depth > maxSchemaDepth || s.parts > maxSchemaParts {
		return map[string]any{"type": "string"}
	}
	for _, key := range []string{"$ref", "anyOf", "oneOf", "allOf"} {
		variant := s.choose(schema[key])
		if variant == nil {
			continue
		}
		simple = s.simplify(variant, depth+1)
		break
	}
	if kind := firstType(schema["type"]); kind != "" {
		simple["type"] = kind
	}
	if words, ok := schema["description"].(string); ok {
		simple["description"] = words
	}
	if values := stringChoices(schema); len(values) > 0 {
		simple["type"], simple["enum"] = "string", values
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		list := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(properties)) { // sorted, so that every request is the same
			property, _ := properties[name].(map[string]any) // true allows anything
			list[name] = s.simplify(property, depth+1)
		}
		simple["type"], simple["properties"] = "object", list
		if required, ok := schema["required"].([]any); ok && len(required) > 0 {
			simple["required"] = required
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		simple["type"], simple["items"] = "array", s.simplify(items, depth+1)
	}
	switch {
	case simple["type"] == nil && depth == 0:
		simple["type"], simple["properties"] = "object", map[string]any{}
	case simple["type"] == nil:
		simple["type"] = "string"
	case simple["type"] == "array" && simple["items"] == nil:
		simple["items"] = map[string]any{"type": "string"}
	}
	return simple
}

// choose returns the target of a reference, or the first of several schemas that is not null; nil if there is none.
func (s *simplerSchema) choose(value any) map[string]any {
	switch value := value.(type) {
	case string:
		path, isLocal := strings.CutPrefix(value, "#/")
		if !isLocal {
			return nil
		}
		at := s.root
		for _, name := range strings.Split(path, "/") {
			at, _ = at[name].(map[string]any)
		}
		return at
	case []any:
		for _, v := range value {
			if schema, ok := v.(map[string]any); ok && schema["type"] != "null" {
				return schema
			}
		}
	}
	return nil
}

// firstType returns the type of a schema other than null; "" if it names none.
func firstType(value any) string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, v := range list {
		if kind, ok := v.(string); ok && kind != "null" {
			return kind
		}
	}
	return ""
}

// stringChoices returns the strings of an enum, nil if it has other values.
func stringChoices(schema map[string]any) []any {
	values, _ := schema["enum"].([]any)
	if only, ok := schema["const"]; ok {
		values = []any{only}
	}
	isOther := func(v any) bool { _, ok := v.(string); return !ok }
	if slices.ContainsFunc(values, isOther) {
		return nil
	}
	return values
}
