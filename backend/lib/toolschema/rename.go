package toolschema

// Sent returns arguments with the names that models use, which differ where a provider does not accept the tool's own.
func (s *Schema) Sent(arguments string) string {
	return s.rename(arguments, func(p property) (from, to string) { return p.name, p.sent })
}

// Received returns arguments that a model wrote with the names of the tool.
func (s *Schema) Received(arguments string) string {
	return s.rename(arguments, func(p property) (from, to string) { return p.sent, p.name })
}

type renaming func(property) (from, to string)

func (s *Schema) rename(arguments string, names renaming) string {
	if !s.hasOtherNames {
		return arguments
	}
	value, isObject := decodeArguments(arguments)
	if !isObject {
		return arguments
	}
	return string(encode(s.root.rename(value, names)))
}

// rename renames the properties in a value.
func (n *node) rename(v any, names renaming) any {
	for _, one := range n.union {
		if one.kind == kindOfValue(v) {
			v = one.rename(v, names)
		}
	}
	switch v := v.(type) {
	case []any:
		if n.kind != array {
			break
		}
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = n.items.rename(one, names)
		}
		return list
	case map[string]any:
		if n.kind != object {
			break
		}
		out := map[string]any{}
		nodes := map[string]property{}
		for _, p := range n.properties {
			from, _ := names(p)
			nodes[from] = p
		}
		for name, value := range v {
			p, ok := nodes[name]
			if !ok {
				out[name] = value
				continue
			}
			_, to := names(p)
			out[to] = p.node.rename(value, names)
		}
		return out
	}
	return v
}
