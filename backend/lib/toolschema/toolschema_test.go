package toolschema_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"goalpost/backend/lib/toolschema"
)

// TestParse_GeneratedDefinitions_AreAcceptedAndNeverStricter: 500 tool definitions with everything that providers
// refuse are accepted by the rules of three providers, and what is valid under the original is valid under the form.
func TestParse_GeneratedDefinitions_AreAcceptedAndNeverStricter(t *testing.T) {
	const definitions, values = 500, 6
	g := &generator{Rand: rand.New(rand.NewPCG(34, 1))}
	checked, covered := 0, 0
	for i := range definitions {
		definition := g.definition()
		original := encode(t, definition)
		schema, err := toolschema.Parse(original)
		if err != nil {
			t.Fatalf("%s: %s", original, err)
		}
		name := g.name()
		name = toolschema.FitToolNames([]string{name, "other"})[name]
		for _, form := range []json.RawMessage{schema.JSON(), schema.Simple()} {
			for provider, refused := range map[string]func(string, object) string{
				"OpenAI": refusedByOpenAI, "Anthropic": refusedByAnthropic, "Gemini": refusedByGemini,
			} {
				if why := refused(name, decode(t, form)); why != "" {
					t.Fatalf("definition %d: %s refuses: %s\n%s\nmade of\n%s", i, provider, why, form, original)
				}
			}
		}
		after, err := resolve(decode(t, schema.JSON()))
		if err != nil {
			t.Fatalf("definition %d: %s is not a valid schema: %s", i, schema.JSON(), err)
		}
		before, err := resolve(definition)
		if err != nil {
			continue // of draft 4
		}
		found := checked
		for range values {
			arguments := encode(t, g.value(definition, definition, 0))
			if before.Validate(decode(t, arguments)) != nil {
				continue
			}
			checked++
			sent := schema.Sent(string(arguments))
			if err := after.Validate(decode(t, []byte(sent))); err != nil {
				t.Fatalf("definition %d: %s is valid under\n%s\nand sent as %s it is not under\n%s\n%s", i, arguments, original,
					sent, schema.JSON(), err)
			}
			if back := schema.Received(sent); back != string(arguments) {
				t.Fatalf("definition %d: %s was sent as %s and comes back as %s", i, arguments, sent, back)
			}
			if why := schema.Problem(string(arguments)); why != "" {
				t.Fatalf("definition %d: valid arguments %s are refused: %s\n%s", i, arguments, why, original)
			}
			fitting, dropped := schema.Coerce(string(arguments))
			if err := before.Validate(decode(t, []byte(fitting))); err != nil || len(dropped) > 0 {
				t.Fatalf("definition %d: valid arguments %s became %s, without %q: %v\n%s", i, arguments, fitting, dropped, err,
					original)
			}
		}
		if checked > found {
			covered++
		}
	}
	if covered < definitions/2 || checked < definitions*2 {
		t.Errorf("only %d arguments of %d definitions were compared", checked, covered)
	}
	t.Logf("%d arguments of %d definitions were compared", checked, covered)
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t *testing.T, raw []byte) object {
	t.Helper()
	var o object
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatalf("%s: %s", raw, err)
	}
	return o
}

func TestParse_WhatServersSend_IsWrittenPlainly(t *testing.T) {
	for name, test := range map[string]struct{ schema, want string }{
		"nothing":   {`null`, `{"type":"object","properties":{}}`},
		"no object": {`{"type":"object"}`, `{"type":"object","properties":{}}`},
		"order, bounds and extras": {
			`{"type":"object","properties":{"z":{"type":"integer","minimum":1,"default":3,"description":"How many."},` +
				`"a":{"type":"array"}},"required":["z"],"additionalProperties":false}`,
			`{"type":"object","properties":{"z":{"type":"integer","description":"How many. (minimum 1, default 3)"},` +
				`"a":{"type":"array","items":ANY}},"required":["z"]}`,
		},
		"optional text": {
			`{"type":"object","properties":{"a":{"description":"A.","anyOf":[{"type":"string"},{"type":"null"}]}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string","description":"A."},{"type":"null"}]}}}`,
		},
		"a choice with titles": {
			`{"type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"x"},{"const":"y"}]}}}`,
			`{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]}}}`,
		},
		"a reference and an odd name": {
			`{"type":"object","properties":{"$top":{"$ref":"#/$defs/n"}},"required":["$top"],"$defs":{"n":{"enum":[1,2]}}}`,
			`{"type":"object","properties":{"_top":{"type":"number",` +
				`"description":"Called \"$top\" by the tool. (enum [1,2])"}},"required":["_top"]}`,
		},
		"alternatives at the root": {
			`{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]},` +
				`{"properties":{"a":{"type":"integer"}},"required":["a"]}]}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]},"b":{"type":"string"}},` +
				`"required":["a"]}`,
		},
		"a reference to itself": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`,
			`{"type":"object","properties":{"a":ANY}}`,
		},
	} {
		schema, err := toolschema.Parse([]byte(test.schema))
		if err != nil {
			t.Fatalf("%s: %s", name, err)
		}
		anything := `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object","properties":{}},` +
			`{"type":"array","items":`
		got := string(schema.JSON())
		want, _, hasAny := strings.Cut(test.want, "ANY")
		if hasAny && !strings.HasPrefix(got, want+anything) || !hasAny && got != want {
			t.Errorf("%s: %s\nwant %s", name, got, test.want)
		}
	}
	for _, wrong := range []string{`[]`, `"text"`, `{`, `{} {}`} {
		if _, err := toolschema.Parse([]byte(wrong)); err == nil {
			t.Errorf("%s is taken for a schema", wrong)
		}
	}
}

// fileTool is the schema of a tool with every kind of argument.
const fileTool = `{"type":"object","additionalProperties":false,"required":["path"],"properties":{
	"path":{"type":"string"},"line":{"type":"integer"},"deep":{"type":"boolean"},"mode":{"enum":["fast","slow"]},
	"tags":{"type":"array","items":{"type":"string"}},"sizes":{"type":"array","items":{"type":"integer"}},
	"options":{"type":"object","properties":{"all":{"type":"boolean"}}}}}`

func TestCoerce_PlainMeaning_IsTaken(t *testing.T) {
	schema, err := toolschema.Parse([]byte(fileTool))
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		`{"path":"f","line":"30"}`:                       `{"line":30,"path":"f"}`,
		`{"path":"f","line":30.0}`:                       `{"line":30,"path":"f"}`,
		`{"path":7}`:                                     `{"path":"7"}`,
		`{"path":"f","deep":"True"}`:                     `{"deep":true,"path":"f"}`,
		`{"path":"f","line":null,"deep":"","tags":null}`: `{"path":"f"}`,
		`{"path":"f","mode":"FAST"}`:                     `{"mode":"fast","path":"f"}`,
		`{"path":"f","tags":"a"}`:                        `{"path":"f","tags":["a"]}`,
		`{"path":"f","tags":"[\"a\",\"b\"]"}`:            `{"path":"f","tags":["a","b"]}`,
		`{"path":"f","sizes":"3"}`:                       `{"path":"f","sizes":[3]}`,
		`{"path":"f","sizes":["3",4]}`:                   `{"path":"f","sizes":[3,4]}`,
		`{"path":"f","options":"{\"all\":\"true\"}"}`:    `{"options":{"all":true},"path":"f"}`,
		`{"file_path":"f"}`:                              `{"path":"f"}`,
		`{"Path":"f","Deep":false}`:                      `{"deep":false,"path":"f"}`,
		`"{\"path\":\"f\"}"`:                             `{"path":"f"}`,
		``:                                               `{}`,
		`null`:                                           `{}`,
		`{"path": "f", "line": 3}`:                       `{"path": "f", "line": 3}`, // as it was sent
		`{"path":"f","line":"many"}`:                     `{"path":"f","line":"many"}`,
		`{"path":"f","line":2.5}`:                        `{"path":"f","line":2.5}`,
		`["f"]`:                                          `["f"]`,
		`{"path":"f"`:                                    `{"path":"f"`,
	} {
		got, dropped := schema.Coerce(given)
		if got != want || len(dropped) > 0 {
			t.Errorf("%s became %s, without %q; want %s", given, got, dropped, want)
		}
	}
	got, dropped := schema.Coerce(`{"path":"f","explanation":"why","timeout":3}`)
	if got != `{"path":"f"}` || strings.Join(dropped, " ") != "explanation timeout" {
		t.Errorf("of unknown arguments remain %s; dropped are %q", got, dropped)
	}
}

func TestProblem_WrongArguments_AreNamedWithAnExample(t *testing.T) {
	schema, err := toolschema.Parse([]byte(fileTool))
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string][2]string{
		`{"line":3}`:                    {`"path" is missing`, `{"path":"the path","line":3}`},
		`{"path":"f","line":"many"}`:    {`"line" must be a whole number, not "many"`, `{"path":"f","line":1}`},
		`{"path":"f","mode":"x"}`:       {`"mode" must be one of fast, slow`, `{"path":"f","mode":"fast"}`},
		`{"path":"f","tags":[{"a":1}]}`: {`"tags[0]" must be a string, not {"a":1}`, `{"path":"f","tags":["the tag"]}`},
		`{"path":"f","options":{"all":3}}`: {
			`"options.all" must be true or false, not 3`, `{"path":"f","options":{"all":true}}`,
		},
		`["f"]`:        {`they are not a JSON object`, `{"path":"the path"}`},
		`{"path":"f"`:  {`they are not JSON`, `{"path":"the path"}`},
		`{"path":"f"}`: {``, `{"path":"f"}`},
	} {
		if got := schema.Problem(given); got != want[0] {
			t.Errorf("%s: %q, want %q", given, got, want[0])
		}
		example := schema.Example(given)
		if example != want[1] || schema.Problem(example) != "" {
			t.Errorf("%s: the example is %s (%s), want %s", given, example, schema.Problem(example), want[1])
		}
	}
}
