package toolschema_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// generator writes tool definitions as MCP servers send them, with everything that providers refuse.
type generator struct {
	*rand.Rand
	defs object
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// name returns a name of a tool or a property: ordinary, odd or long.
func (g *generator) name() string {
	switch g.IntN(12) {
	case 0:
		return g.pick("$filter", "@type", "filter[name]", "größe", "名前", "with space", "a.b", "x-y", "1st", "-", "🙂", "")
	case 1:
		return g.pick("issues/list", "a__b") + strings.Repeat(g.pick("long_", "très_"), 10+g.IntN(20))
	}
	return fmt.Sprintf("%s_%d", g.pick("path", "query", "count", "options", "items", "mode"), g.IntN(30))
}

// definition returns the schema of a tool.
func (g *generator) definition() object {
	g.defs = object{}
	for i := range g.IntN(4) {
		g.defs[fmt.Sprintf("def/%d", i)] = object{} // may be referred to before it is written
	}
	for _, key := range slices.Sorted(maps.Keys(g.defs)) {
		g.defs[key] = g.object(2) // a reference that leads to itself has no meaning
	}
	root := object{"type": "object"}
	switch g.IntN(8) {
	case 0:
		return root // the schema of a tool without arguments in several SDKs
	case 1:
		root["anyOf"] = []any{g.object(2), g.object(2)}
	case 2:
		root["allOf"] = []any{g.object(2), g.object(3)}
	case 3:
		root["oneOf"] = []any{object{"required": []any{"a"}}, object{"required": []any{"b"}}}
		root["properties"] = object{"a": g.schema(3), "b": g.schema(3)}
	case 4:
		deep := g.schema(0)
		for range 5 + g.IntN(20) { // below the limit of levels, lists keep their meaning only two deep
			deep = object{"type": "object", "properties": object{"in": g.wrap(deep)}}
		}
		root["properties"] = object{"deep": deep}
	default:
		root = g.object(4)
	}
	if g.chance(20) {
		root["$schema"] = g.pick("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema")
	}
	if len(g.defs) > 0 {
		root["$defs"] = g.defs
	}
	return root
}

func (g *generator) wrap(s any) any {
	if g.chance(50) {
		return object{"type": "array", "items": s}
	}
	return object{"type": "object", "properties": object{"in": s}, "required": []any{"in"}}
}

func (g *generator) object(depth int) object {
	s := object{"type": "object"}
	if g.chance(80) {
		properties, required := object{}, []any{}
		for range g.IntN(6) {
			name := g.name()
			properties[name] = g.schema(depth - 1)
			if g.chance(40) {
				required = append(required, name)
			}
		}
		s["properties"] = properties
		if len(required) > 0 || g.chance(30) {
			s["required"] = required
		}
	}
	if g.chance(10) {
		s["required"] = []any{"undefined_elsewhere"}
	}
	switch g.IntN(6) {
	case 0:
		s["additionalProperties"] = g.chance(50)
	case 1:
		s["additionalProperties"] = g.schema(depth - 1)
	case 2:
		s["patternProperties"] = object{"^x-": g.schema(depth - 1)}
	}
	return s
}

// schema returns the schema of a value.
func (g *generator) schema(depth int) any {
	if depth <= 0 {
		return g.leaf()
	}
	var s any
	switch g.IntN(14) {
	case 0:
		return g.chance(90)
	case 1:
		s = object{}
	case 2, 3:
		s = g.object(depth)
	case 4:
		s = object{"type": "array"}
	case 5:
		s = object{"type": "array", "items": g.schema(depth - 1), "minItems": 0, "uniqueItems": g.chance(20)}
	case 6:
		s = object{"type": "array", "prefixItems": []any{g.schema(depth - 1), g.leaf()}, "items": false}
	case 7:
		s = object{g.pick("anyOf", "oneOf"): []any{g.schema(depth - 1), object{"type": "null"}}}
	case 8:
		s = object{"anyOf": []any{g.schema(depth - 1), g.schema(depth - 1), g.leaf()}, "default": nil}
	case 9:
		s = object{"allOf": []any{g.object(depth - 1), object{"description": "and more"}}}
	case 10:
		s = object{"type": []any{g.pick("string", "object"), g.pick("null", "number", "array")}}
	case 11:
		if len(g.defs) > 0 {
			s = object{"$ref": fmt.Sprintf("#/$defs/def~1%d", g.IntN(len(g.defs))), "description": "elsewhere"}
			break
		}
		s = object{"$ref": "#"}
	default:
		return g.leaf()
	}
	if s, ok := s.(object); ok && g.chance(40) {
		s["description"] = "what it is: größer, 日本, \"quoted\" <b>"
	}
	return s
}

// leaf returns the schema of a value without parts.
func (g *generator) leaf() any {
	return []any{
		object{"type": "string", "format": g.pick("uri", "date-time", "email"), "minLength": 1, "maxLength": 9000},
		object{"type": "string", "pattern": "^[a-z]+$", "default": "abc"},
		object{"type": "string", "enum": []any{"red", "green", ""}},
		object{"enum": []any{"a", 1, nil, true}},
		object{"enum": []any{"one", "two"}, "title": "One"},
		object{"type": "integer", "enum": []any{1, 2, 3}},
		object{"const": "fixed"},
		object{"const": 7},
		object{"type": "integer", "minimum": 1, "exclusiveMaximum": 100},
		object{"type": "integer", "minimum": 0, "exclusiveMinimum": true}, // draft 4
		object{"type": "number", "multipleOf": 0.5, "examples": []any{1, 2}},
		object{"type": "boolean", "default": false, "nullable": true},
		object{"type": "null"},
		object{"type": []any{"integer", "string", "null"}},
		object{"type": "string", "oneOf": []any{object{"const": "x", "title": "X"}, object{"const": "y"}}},
		object{"description": "anything"},
		object{"not": object{"type": "string"}},
	}[g.IntN(17)]
}

// value returns a value that probably fits a schema.
func (g *generator) value(root object, schema any, depth int) any {
	s, ok := schema.(object)
	if !ok || depth > 14 {
		return g.plainValue(2)
	}
	if ref, ok := s["$ref"].(string); ok {
		if ref == "#" {
			return g.value(root, root, depth+1)
		}
		defs, _ := root["$defs"].(object)
		return g.value(root, defs[strings.ReplaceAll(strings.TrimPrefix(ref, "#/$defs/"), "~1", "/")], depth+1)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list, ok := s[keyword].([]any); ok && s["properties"] == nil {
			return g.value(root, list[g.IntN(len(list))], depth+1)
		}
	}
	if list, ok := s["allOf"].([]any); ok {
		joined := object{}
		for _, one := range list {
			if one, ok := one.(object); !ok || one["type"] == nil {
				continue // only a description
			}
			part, _ := g.value(root, one, depth+1).(object)
			for name, value := range part {
				joined[name] = value
			}
		}
		return joined
	}
	if list, ok := s["enum"].([]any); ok {
		return list[g.IntN(len(list))]
	}
	if value, ok := s["const"]; ok {
		return value
	}
	kind, _ := s["type"].(string)
	if list, ok := s["type"].([]any); ok {
		kind, _ = list[g.IntN(len(list))].(string)
	}
	return g.valueOf(root, s, kind, depth)
}

func (g *generator) valueOf(root, s object, kind string, depth int) any {
	switch kind {
	case "string":
		return g.pick("abc", "word")
	case "integer":
		return 1 + g.IntN(9)
	case "number":
		return float64(g.IntN(9)) / 2
	case "boolean":
		return g.chance(50)
	case "null":
		return nil
	case "array":
		list := []any{}
		if places, ok := s["prefixItems"].([]any); ok {
			for _, one := range places {
				list = append(list, g.value(root, one, depth+1))
			}
			return list
		}
		for range g.IntN(3) {
			list = append(list, g.value(root, s["items"], depth+1))
		}
		return list
	case "object":
		return g.objectValue(root, s, depth)
	}
	return g.plainValue(2)
}

func (g *generator) objectValue(root, s object, depth int) any {
	out := object{}
	properties, _ := s["properties"].(object)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		one := properties[name]
		isRequired := false
		for _, r := range required {
			isRequired = isRequired || r == name
		}
		if isRequired || one != false && g.chance(60) {
			out[name] = g.value(root, one, depth+1)
		}
	}
	for _, name := range required {
		if name, ok := name.(string); ok && properties[name] == nil {
			out[name] = g.plainValue(2)
		}
	}
	if s["additionalProperties"] == nil && g.chance(20) {
		out["something_more"] = g.plainValue(1)
	}
	return out
}

// plainValue returns a value of any type.
func (g *generator) plainValue(depth int) any {
	if depth > 0 {
		switch g.IntN(6) {
		case 0:
			return []any{g.plainValue(depth - 1)}
		case 1:
			return object{"key": g.plainValue(depth - 1)}
		}
	}
	return []any{"text", 3, 2.5, true, nil}[g.IntN(5)]
}
