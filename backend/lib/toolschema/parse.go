package toolschema

import (
	"slices"
	"strconv"
	"strings"
)

// Limits of a schema. OpenAI's strict mode has the lowest published limits: ten levels and a thousand values of enums.
const (
	maxLevel     = 7 // of objects and arrays; a value of any type below adds three
	maxNodes     = 1000
	maxRecursion = 2 // how often a schema contains itself
	maxEnum      = 250
	maxEnumBytes = 15_000
)

// parser reads the parts of one schema.
type parser struct {
	root          *members // where references lead
	nodes         int      // so far
	hasOtherNames bool
}

// place is where a part of a schema is.
type place struct {
	level int
	refs  []string // references that led here
}

func (p place) below(refs []string) place { return place{p.level + 1, refs} }

func (p *parser) parseRoot() *node {
	o, refs := p.merge(p.root, nil)
	o = p.fold(o, &refs)
	n := p.newNode(object, o, place{refs: refs})
	n.describe(describe(o, n))
	return n
}

// parse reads the schema of a value.
func (p *parser) parse(raw any, at place) *node {
	source, ok := raw.(*members)
	if !ok { // true, or no schema
		return anyNode(0)
	}
	o, refs := p.merge(source, at.refs)
	at.refs = refs
	kinds := kindsOf(o)
	branches := alternatives(o)
	if len(branches) > 0 && slices.Equal(kinds, []string{object}) {
		o, branches = p.fold(o, &at.refs), nil
	}
	if len(branches) == 0 {
		return p.parseKinds(o, kinds, at)
	}
	base := o.without("anyOf", "oneOf", "description", "title", "default")
	var union []*node
	for _, branch := range branches {
		b, ok := branch.(*members)
		if !ok {
			union = append(union, anyNode(0))
			continue
		}
		merged, refs := p.merge(b, at.refs)
		absorb(merged, base)
		union = append(union, p.parse(merged, place{at.level, refs}))
	}
	n := newUnion(union)
	n.describe(describe(o, n))
	return n
}

// parseKinds reads a schema without alternatives.
func (p *parser) parseKinds(o *members, kinds []string, at place) *node {
	if len(kinds) == 0 {
		n := anyNode(0)
		n.describe(describe(o, n))
		return n
	}
	var union []*node
	for _, kind := range kinds {
		union = append(union, p.newNode(kind, o, at))
	}
	n := newUnion(union)
	n.describe(describe(o, n))
	return n
}

// newNode reads the keywords of one type.
func (p *parser) newNode(kind string, o *members, at place) *node {
	p.nodes++
	n := &node{kind: kind}
	isCut := at.level >= maxLevel || p.nodes > maxNodes
	switch kind {
	case str:
		n.enum = stringChoices(o)
	case array:
		n.items = anyNode(0)
		if !isCut {
			n.items = p.parseItems(o, at.below(at.refs))
		}
	case object:
		if !isCut {
			p.addProperties(n, o, at.below(at.refs))
		}
	}
	return n
}

// parseItems reads what a list contains; for a tuple, any of its places.
func (p *parser) parseItems(o *members, at place) *node {
	places := o.list("prefixItems")
	if places == nil {
		places = o.list("items")
	}
	if places == nil {
		return p.parse(o.get("items"), at)
	}
	for _, name := range []string{"items", "additionalItems"} {
		if rest := o.object(name); rest != nil {
			places = append(slices.Clip(places), rest)
		}
	}
	var union []*node
	for _, one := range places {
		union = append(union, p.parse(one, at))
	}
	if len(union) == 0 {
		return anyNode(0)
	}
	return newUnion(union)
}

func (p *parser) addProperties(n *node, o *members, at place) {
	n.isClosed = isNever(o.get("additionalProperties")) && !o.has("patternProperties")
	required := textsOf(o.list("required"))
	properties := propertiesOf(o)
	names := fitNames(slices.Concat(properties.names, required), false)
	for _, name := range properties.names {
		value := properties.get(name)
		if isNever(value) {
			continue
		}
		one := property{name: name, sent: names[name], isRequired: slices.Contains(required, name)}
		if one.node = p.parse(value, at); one.sent != name {
			p.hasOtherNames = true
			one.node.describe("Called " + strconv.Quote(name) + " by the tool.")
		}
		n.properties = append(n.properties, one)
	}
	for _, name := range required {
		if !properties.has(name) {
			n.properties = append(n.properties, property{name, names[name], true, anyNode(0)})
		}
	}
}

// isNever reports whether a schema allows no value.
func isNever(schema any) bool {
	o, ok := schema.(*members)
	if !ok {
		return schema == false
	}
	not := o.object("not")
	return not != nil && len(not.names) == 0
}

// merge returns a schema together with those that it refers to and those that must hold as well.
func (p *parser) merge(o *members, refs []string) (*members, []string) {
	out := o.without("$ref", "$dynamicRef", "$recursiveRef", "allOf")
	p.nodes++
	var parts []any
	for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref, ok := o.get(keyword).(string)
		if !ok {
			continue
		}
		target := p.target(ref)
		seen := 0
		for _, one := range refs {
			if one == ref {
				seen++
			}
		}
		if target != nil && (seen >= maxRecursion || p.nodes > maxNodes) {
			target = outline(target)
		}
		if target != nil {
			refs = append(slices.Clip(refs), ref)
			parts = append(parts, target)
		}
	}
	for _, part := range append(parts, o.list("allOf")...) {
		if part, ok := part.(*members); ok && p.nodes <= maxNodes {
			merged, more := p.merge(part, refs)
			absorb(out, merged)
			refs = more
		}
	}
	return out, refs
}

// outline returns what is kept of a schema that contains itself too often.
func outline(o *members) *members {
	out := &members{}
	if kinds := kindsOf(o); len(kinds) == 1 {
		out.set("type", kinds[0])
	}
	if o.has("description") {
		out.set("description", o.get("description"))
	}
	return out
}

// absorb adds to o what it does not have. Properties and required names are joined.
func absorb(o, more *members) {
	for _, name := range more.names {
		value := more.get(name)
		switch own := o.get(name).(type) {
		case nil:
			if !o.has(name) {
				o.set(name, value)
			}
		case *members:
			if add, ok := value.(*members); ok && name == "properties" {
				joined := own.without()
				absorb(joined, add)
				o.set(name, joined)
			}
		case []any:
			if add, ok := value.([]any); ok && name == "required" {
				o.set(name, append(slices.Clip(own), add...))
			}
		}
	}
}

// fold joins alternative objects to one: it has the properties of all of them, and requires those that all require.
func (p *parser) fold(o *members, refs *[]string) *members {
	var objects []*members
	for _, branch := range alternatives(o) {
		b, ok := branch.(*members)
		if !ok {
			b = &members{}
		}
		b, more := p.merge(b, *refs)
		*refs = more
		if p.nodes <= maxNodes {
			b = p.fold(b, refs)
		}
		if kinds := kindsOf(b); len(kinds) == 0 || slices.Contains(kinds, object) {
			objects = append(objects, b)
		}
	}
	out := o.without("anyOf", "oneOf")
	if len(objects) == 0 {
		return out
	}
	required := textsOf(objects[0].list("required"))
	properties := &members{}
	for _, b := range objects {
		names := textsOf(b.list("required"))
		required = slices.DeleteFunc(required, func(name string) bool { return !slices.Contains(names, name) })
		for _, name := range propertiesOf(b).names {
			properties.set(name, either(properties.get(name), propertiesOf(b).get(name)))
		}
	}
	var list []any
	for _, name := range required {
		list = append(list, name)
	}
	more := &members{}
	more.set("properties", properties)
	more.set("required", list)
	absorb(out, more)
	return out
}

func propertiesOf(o *members) *members {
	if properties := o.object("properties"); properties != nil {
		return properties
	}
	return &members{}
}

// either returns a schema for what fits one of two.
func either(one, other any) any {
	if one == nil || string(encode(one)) == string(encode(other)) {
		return other
	}
	union := &members{}
	union.set("anyOf", []any{one, other})
	return union
}

// target returns the schema to which a reference leads, nil if it is not in this document.
func (p *parser) target(ref string) *members {
	path, isLocal := strings.CutPrefix(ref, "#")
	if !isLocal || path != "" && !strings.HasPrefix(path, "/") {
		return nil
	}
	var at any = p.root
	for _, name := range strings.Split(path, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%", "%24", "$").Replace(name)
		switch in := at.(type) {
		case *members:
			at = in.get(name)
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			at = in[i]
		default:
			return nil
		}
	}
	o, _ := at.(*members)
	return o
}

func alternatives(o *members) []any {
	if list := o.list("anyOf"); list != nil {
		return list
	}
	return o.list("oneOf")
}

func textsOf(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
