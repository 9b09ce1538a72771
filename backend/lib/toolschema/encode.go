package toolschema

import (
	"encoding/json"
	"slices"
	"strings"
)

// encodeNode writes a node. Gemini accepts nothing beside alternatives, so a description is in the first of them.
func encodeNode(n *node) json.RawMessage { return encode(n.wire()) }

func (n *node) wire() *members {
	out := &members{}
	if n.kind == "" {
		var list []any
		for _, one := range n.union {
			list = append(list, one.wire())
		}
		out.set("anyOf", list)
		return out
	}
	out.set("type", n.kind)
	if n.description != "" {
		out.set("description", n.description)
	}
	if len(n.enum) > 0 {
		out.set("enum", n.enum)
	}
	if n.kind == array {
		out.set("items", n.items.wire())
	}
	if n.kind != object {
		return out
	}
	properties, required := &members{}, []string{}
	for _, p := range n.properties {
		properties.set(p.sent, p.node.wire())
		if p.isRequired {
			required = append(required, p.sent)
		}
	}
	out.set("properties", properties)
	if len(required) > 0 {
		out.set("required", required)
	}
	return out
}

// describe adds words before the description.
func (n *node) describe(words string) {
	at := n
	for at.kind == "" && len(at.union) > 0 {
		i := max(0, slices.IndexFunc(at.union, func(one *node) bool { return one.kind != null }))
		at = at.union[i]
	}
	if words == at.description {
		return
	}
	at.description = strings.TrimSpace(words + " " + at.description)
}

// hasEnum reports whether a node lists all its strings.
func (n *node) hasEnum() bool {
	return slices.ContainsFunc(n.alternatives(), func(one *node) bool { return one.enum != nil })
}

// notedKeywords are those that the form does not have. They are said in descriptions.
var notedKeywords = []string{
	"enum", "const", "format", "pattern", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "default",
	"additionalProperties", "patternProperties", "dependentRequired", "not",
}

// maxNote limits what is said of one keyword, in bytes.
const maxNote = 200

// describe returns the description of a schema, with the keywords that its node does not have.
func describe(o *members, n *node) string {
	words := o.text("description")
	if words == "" {
		words = o.text("title")
	}
	var notes []string
	for _, keyword := range notedKeywords {
		value := o.get(keyword)
		isEnum := keyword == "enum" || keyword == "const"
		isExtra := keyword == "additionalProperties" && (value == true || isNever(value))
		if value == nil || isEnum && n.hasEnum() || isExtra {
			continue
		}
		if note := encode(value); len(note) <= maxNote {
			notes = append(notes, keyword+" "+string(note))
		}
	}
	if len(notes) == 0 {
		return words
	}
	return strings.TrimSpace(words + " (" + strings.Join(notes, ", ") + ")")
}
