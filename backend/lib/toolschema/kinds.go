package toolschema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// otherTypes are names that schemas use for the types of JSON.
var otherTypes = map[string]string{
	"float": number, "double": number, "decimal": number, "int": integer, "long": integer, "bool": boolean, "text": str,
	"dict": object, "map": object, "list": array,
}

// kindsOf returns the types that a schema allows, nil if it allows all.
func kindsOf(o *members) []string {
	types := textsOf(o.list("type"))
	if one, ok := o.get("type").(string); ok {
		types = []string{one}
	}
	var list []string
	for _, name := range types {
		name = strings.ToLower(name)
		if other, ok := otherTypes[name]; ok {
			name = other
		}
		if !slices.Contains([]string{object, array, str, number, integer, boolean, null}, name) {
			return nil
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if len(types) == 0 {
		list = impliedKinds(o)
	}
	if o.get("nullable") == true && len(list) > 0 && !slices.Contains(list, null) {
		list = append(list, null)
	}
	return list
}

// impliedKinds returns the types of a schema that names none.
func impliedKinds(o *members) []string {
	if values := choices(o); values != nil {
		var list []string
		for _, v := range values {
			if kind := kindOf(v); !slices.Contains(list, kind) {
				list = append(list, kind)
			}
		}
		return list
	}
	switch {
	case o.has("properties") || o.has("required") || o.has("additionalProperties") || o.has("patternProperties"):
		return []string{object}
	case o.has("items") || o.has("prefixItems"):
		return []string{array}
	}
	return nil
}

// kindOf returns the type of a value. A whole number is a number.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return str
	case json.Number:
		return number
	case bool:
		return boolean
	case []any:
		return array
	case nil:
		return null
	}
	return object
}

// choices returns the values of an enum or the constant, nil if there are none.
func choices(o *members) []any {
	if o.has("const") {
		return []any{o.get("const")}
	}
	return o.list("enum")
}

// stringChoices returns the strings that a schema allows, nil if providers would not accept the list.
func stringChoices(o *members) []string {
	var list []string
	bytes := 0
	for _, v := range choices(o) {
		s, ok := v.(string)
		bytes += len(s)
		switch {
		case ok && s == "":
			return nil
		case ok && !slices.Contains(list, s):
			list = append(list, s)
		}
	}
	if len(list) > maxEnum || bytes > maxEnumBytes {
		return nil
	}
	return list
}

// newUnion joins alternatives. Strings become one alternative, and so do numbers.
func newUnion(list []*node) *node {
	var flat []*node
	for _, n := range list {
		for _, one := range n.alternatives() {
			flat = addAlternative(flat, one)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return &node{union: flat}
}

func (n *node) alternatives() []*node {
	if n.kind == "" {
		return n.union
	}
	return []*node{n}
}

func addAlternative(list []*node, one *node) []*node {
	for i, n := range list {
		switch {
		case n.kind == str && one.kind == str:
			joined := *n
			joined.enum = slices.Clone(n.enum)
			for _, v := range one.enum {
				if !slices.Contains(joined.enum, v) {
					joined.enum = append(joined.enum, v)
				}
			}
			if n.enum == nil || one.enum == nil || len(joined.enum) > maxEnum {
				joined.enum = nil
			}
			joined.describe(one.description)
			list[i] = &joined
			return list
		case n.kind == integer && one.kind == number:
			list[i] = one
			return list
		case n.kind == number && one.kind == integer, reflect.DeepEqual(n, one):
			return list
		case (n.kind == boolean || n.kind == null) && n.kind == one.kind:
			return list
		}
	}
	return append(list, one)
}

// anyNode returns the schema of any value. Lists in it contain any values, and so do lists in those.
func anyNode(lists int) *node {
	kinds := []string{str, number, boolean, object, array, null}
	n := &node{}
	for _, kind := range kinds {
		one := &node{kind: kind}
		if kind == array && lists > 1 {
			continue
		}
		if kind == array {
			one.items = anyNode(lists + 1)
		}
		n.union = append(n.union, one)
	}
	return n
}
