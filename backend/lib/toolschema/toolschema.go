// Package toolschema reads the JSON schemas of tools' arguments. It writes them in the form that every provider
// accepts, brings the arguments that a model sent into the form of the schema where their meaning is plain, and makes
// examples.
//
// The form follows the published rules of OpenAI's function calling, Anthropic's tools and Gemini's function
// declarations: an object at the root, without alternatives there; every object has properties and every array has
// items; one type in each place; no references; enums of strings; names of letters, digits and underscores; a limited
// depth. What these rules have no keyword for is said in descriptions. The form never accepts less than the original,
// except that lists in lists are cut three levels below the limited depth.
package toolschema

import (
	"encoding/json"
	"fmt"
)

// The types of JSON.
const (
	object  = "object"
	array   = "array"
	str     = "string"
	number  = "number"
	integer = "integer"
	boolean = "boolean"
	null    = "null"
)

// Schema describes the arguments of a tool. It is immutable.
type Schema struct {
	root          *node
	hasOtherNames bool // some properties are sent with another name
}

// node is the schema of one value.
type node struct {
	kind        string // a type of JSON, "" for a union
	description string
	enum        []string   // of a string; nil if all are allowed
	properties  []property // of an object, in their order of definition
	isClosed    bool       // no other properties are allowed
	items       *node      // of an array
	union       []*node    // the value fits one of them
}

// property is one property of an object.
type property struct {
	name       string // as the tool calls it
	sent       string // as models call it
	isRequired bool
	node       *node
}

// Parse reads a schema of any draft. It returns an error if it is not a JSON object.
func Parse(raw []byte) (*Schema, error) {
	value, err := decodeOrdered(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	if value == nil {
		value = &members{}
	}
	root, ok := value.(*members)
	if !ok {
		return nil, fmt.Errorf("reading the schema: it is not a JSON object")
	}
	p := &parser{root: root}
	n := p.parseRoot()
	return &Schema{n, p.hasOtherNames}, nil
}

// JSON returns the schema in the form that every provider accepts.
func (s *Schema) JSON() json.RawMessage { return encodeNode(s.root) }

// Simple returns a form for servers that know still less: of several alternatives it has the first one.
func (s *Schema) Simple() json.RawMessage { return encodeNode(s.root.first()) }

// kinds returns the types that a value can have.
func (n *node) kinds() []string {
	if n.kind != "" {
		return []string{n.kind}
	}
	var list []string
	for _, one := range n.union {
		list = append(list, one.kinds()...)
	}
	return list
}

// first returns a copy without alternatives.
func (n *node) first() *node {
	if len(n.union) > 0 {
		chosen := n.union[0]
		for _, one := range n.union {
			if one.kind != null {
				chosen = one
				break
			}
		}
		one := *chosen.first()
		if one.description == "" {
			one.description = n.description
		}
		return &one
	}
	out := *n
	out.properties = make([]property, len(n.properties))
	for i, p := range n.properties {
		p.node = p.node.first()
		out.properties[i] = p
	}
	if n.items != nil {
		out.items = n.items.first()
	}
	if out.kind == null {
		out.kind = str
	}
	return &out
}
