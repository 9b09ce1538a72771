package toolschema_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// The published rules of providers, as they check the definition of a tool before they read anything else. The first
// broken rule is returned, "" if there is none.

type object = map[string]any

var (
	openAIName      = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	anthropicKey    = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	geminiName      = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`)
	geminiParameter = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
	jsonTypes       = []string{"object", "array", "string", "number", "integer", "boolean", "null"}
)

// refusedByOpenAI has the rules of function calling, and the limits of its strict mode, the only ones that have
// numbers.
func refusedByOpenAI(name string, root object) string {
	if !openAIName.MatchString(name) {
		return "invalid name " + name
	}
	if why := refusedRoot(root, "anyOf", "oneOf", "allOf", "enum", "not"); why != "" {
		return why
	}
	properties, enums, letters := 0, 0, 0
	return walk(root, "", 0, func(at string, level int, s object) string {
		in, _ := s["properties"].(object)
		for key := range in {
			properties++
			letters += len(key)
		}
		values, _ := s["enum"].([]any)
		enums += len(values)
		for _, v := range values {
			letters += len(fmt.Sprint(v))
		}
		_, hasItems := s["items"].(object)
		switch {
		case s["type"] == "object" && in == nil:
			return at + ": object schema missing properties"
		case s["type"] == "array" && !hasItems:
			return at + ": array schema missing items"
		case s["type"] == nil && s["anyOf"] == nil:
			return at + ": schema must have a 'type' key"
		case level > 10:
			return at + ": more than 10 levels of nesting"
		case properties > 5000 || enums > 1000 || letters > 120_000:
			return at + ": schema too large"
		}
		return ""
	})
}

// refusedByAnthropic has the rules of tools besides a valid schema of draft 2020-12: no references, and no alternatives
// at the root.
func refusedByAnthropic(name string, root object) string {
	if !openAIName.MatchString(name) {
		return "invalid name " + name
	}
	if why := refusedRoot(root, "anyOf", "oneOf", "allOf"); why != "" {
		return why
	}
	return walk(root, "", 0, func(at string, _ int, s object) string {
		if s["$ref"] != nil || s["$defs"] != nil {
			return at + ": references are not supported"
		}
		in, _ := s["properties"].(object)
		for key := range in {
			if !anthropicKey.MatchString(key) {
				return at + ": property keys should match the pattern: " + key
			}
		}
		return ""
	})
}

// refusedByGemini has the rules of function declarations: the fields of Schema, and where they may be.
func refusedByGemini(name string, root object) string {
	fields := []string{
		"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
		"minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
		"default", "items", "minimum", "maximum",
	}
	if !geminiName.MatchString(name) {
		return "invalid function name " + name
	}
	return walk(root, "", 0, func(at string, _ int, s object) string {
		for field := range s {
			if !slices.Contains(fields, field) {
				return at + ": unknown name " + field
			}
		}
		if s["anyOf"] != nil {
			if len(s) > 1 {
				return at + ": when using any_of, it must be the only field set"
			}
			return ""
		}
		kind, _ := s["type"].(string)
		if !slices.Contains(jsonTypes, kind) {
			return fmt.Sprintf("%s: invalid type %v", at, s["type"])
		}
		in, _ := s["properties"].(object)
		for key := range in {
			if !geminiParameter.MatchString(key) {
				return at + ": invalid parameter name " + key
			}
		}
		required, _ := s["required"].([]any)
		for _, key := range required {
			if key, _ := key.(string); in[key] == nil {
				return at + ": required: property is not defined: " + key
			}
		}
		values, _ := s["enum"].([]any)
		for _, v := range values {
			if text, ok := v.(string); !ok || text == "" || kind != "string" {
				return at + ": enum: only allowed for strings, and cannot be empty"
			}
		}
		_, hasItems := s["items"].(object)
		if hasItems != (kind == "array") || (in != nil || required != nil) && kind != "object" {
			return at + ": a field of another type"
		}
		return ""
	})
}

func refusedRoot(root object, keywords ...string) string {
	if root["type"] != "object" {
		return "schema must be a JSON schema of type object"
	}
	for _, keyword := range keywords {
		if root[keyword] != nil {
			return "the schema does not support " + keyword + " at the top level"
		}
	}
	return ""
}

// walk calls check for a schema and all schemas in it.
func walk(s object, at string, level int, check func(at string, level int, s object) string) string {
	if why := check(at, level, s); why != "" {
		return why
	}
	in, _ := s["properties"].(object)
	for key, one := range in {
		one, ok := one.(object)
		if !ok {
			return at + "/" + key + ": not a schema"
		}
		if why := walk(one, at+"/"+key, level+1, check); why != "" {
			return why
		}
	}
	if items, ok := s["items"].(object); ok {
		if why := walk(items, at+"[]", level+1, check); why != "" {
			return why
		}
	}
	list, _ := s["anyOf"].([]any)
	for i, one := range list {
		one, ok := one.(object)
		if !ok {
			return at + ": anyOf: not a schema"
		}
		if why := walk(one, fmt.Sprintf("%s|%d", at, i), level, check); why != "" {
			return why
		}
	}
	return ""
}

// resolve prepares a schema for validation.
func resolve(schema any) (*jsonschema.Resolved, error) {
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}
