package model

import (
	"encoding/json"
	"slices"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/toolschema"
)

// toolForms connects the tools of a turn with the form in which they are sent, which every provider accepts.
type toolForms struct {
	sent     map[string]string             // names as they are sent, by the tools' own
	received map[string]string             // the other way round
	schemas  map[string]*toolschema.Schema // by the tools' own names
}

// fitTools brings the tools of a turn, and the calls of its messages, into the form in which they are sent.
func (b *baseClient) fitTools(t *goal.Turn) (*toolForms, error) {
	names := make([]string, 0, len(t.Tools))
	for _, tool := range t.Tools {
		names = append(names, tool.Name)
	}
	f := &toolForms{
		sent:     toolschema.FitToolNames(names),
		received: map[string]string{},
		schemas:  map[string]*toolschema.Schema{},
	}
	t.Tools = slices.Clone(t.Tools)
	for i, tool := range t.Tools {
		schema, err := b.parseSchema(tool)
		if err != nil {
			return nil, err
		}
		f.schemas[tool.Name], f.received[f.sent[tool.Name]] = schema, tool.Name
		t.Tools[i].Name, t.Tools[i].Schema = f.sent[tool.Name], schema.JSON()
	}
	t.Messages = slices.Clone(t.Messages)
	for i, m := range t.Messages {
		t.Messages[i].Calls = slices.Clone(m.Calls)
		for n := range m.Calls {
			f.fitCall(&t.Messages[i].Calls[n])
		}
	}
	return f, nil
}

// parseSchema reads the schema of a tool once for all turns.
func (b *baseClient) parseSchema(tool goal.ToolSpec) (*toolschema.Schema, error) {
	raw := string(tool.Schema)
	if raw == "" {
		raw = "{}"
	}
	if known, ok := b.schemas.Load(raw); ok {
		if schema, ok := known.(*toolschema.Schema); ok {
			return schema, nil
		}
	}
	schema, err := toolschema.Parse([]byte(raw))
	if err != nil {
		return nil, schemaError(tool.Name, err)
	}
	b.schemas.Store(raw, schema)
	return schema, nil
}

// fitCall writes an earlier call as the model made it.
func (f *toolForms) fitCall(c *goal.Call) {
	if schema, ok := f.schemas[c.Tool]; ok {
		c.Tool, c.Arguments = f.sent[c.Tool], schema.Sent(c.Arguments)
	}
}

// restore gives the calls of a reply the names of the tools and of their arguments.
func (f *toolForms) restore(reply *goal.Reply) {
	for i := range reply.Calls {
		c := &reply.Calls[i]
		if name, ok := f.received[c.Tool]; ok {
			c.Tool, c.Arguments = name, f.schemas[name].Received(c.Arguments)
		}
	}
}

// simplifySchema returns a schema without alternatives, for servers that know none. Arguments that do not fit are
// answered when the tool is called.
func simplifySchema(raw json.RawMessage) json.RawMessage {
	schema, err := toolschema.Parse(raw)
	if err != nil {
		return raw
	}
	return schema.Simple()
}
