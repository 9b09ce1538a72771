package description_test

import (
	"encoding/json"
	"strings"
	"testing"

	"goalpost/backend/agent/tools/description"
)

type arguments struct {
	Pane   string   `json:"pane"`
	Values []value  `json:"values,omitempty"`
	Size   struct{} `json:"size,omitempty"`
	Tagged int      `json:"tagged,omitempty" jsonschema:"by its tag"`
}

type value struct {
	Name string `json:"name"`
}

func TestRead_EachArgument_HasItsDescription(t *testing.T) {
	tool, err := description.Read[arguments]("Run it.\n\nTwice.\n\n## Arguments\n\n" +
		"- `pane`: the pane: `t1`, or\n  another\n  one\n- `size`: how large\n- `values`: all\n" +
		"- `values[].name`: what is named \\w\n")
	if err != nil {
		t.Fatal(err)
	}
	if tool.Text != "Run it.\n\nTwice." {
		t.Errorf("the tool is described as %q", tool.Text)
	}
	schema, err := json.Marshal(tool.Schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"pane":{"type":"string","description":"the pane: ` + "`t1`" + `, or another one"}`,
		`"name":{"type":"string","description":"what is named \\w"}`,
		`"tagged":{"type":"integer","description":"by its tag"}`,
	} {
		if !strings.Contains(string(schema), want) {
			t.Errorf("%s has no %s", schema, want)
		}
	}
}

func TestRead_NoHeading_DescribesNothing(t *testing.T) {
	tool, err := description.Read[struct{}]("List them.\n")
	if err != nil || tool.Text != "List them." {
		t.Errorf("%+v, %v", tool, err)
	}
}

func TestRead_InvalidText_IsRefused(t *testing.T) {
	const above = "Run it.\n\n## Arguments\n\n"
	for _, c := range []struct{ markdown, says string }{
		{"", "the tool is empty"},
		{"\n## Arguments\n\n- `pane`: the pane\n", "the tool is empty"},
		{"Run it.\n\n## Arguments\n", "a list must follow"},
		{"Run it.\n\n## Arguments\n\n", "a list must follow"},
		{"Run it.\n\n## Arguments\n- `pane`: the pane\n", "a list must follow"},
		{above + "  the pane\n", `the line "  the pane"`},
		{above + "pane: the pane\n", `the line "pane: the pane"`},
		{above + "* `pane`: the pane\n", "the line"},
		{above + "- pane: the pane\n", "the line"},
		{above + "- `pane`\n", "the line"},
		{above + "- `pane`:\n", "the line"},
		{above + "- `pane`: \n", "the line"},
		{above + "- `pane`:  the pane\n", "the line"},
		{above + "- `pane`: the pane \n", "the line"},
		{above + "- ``: the pane\n", "the line"},
		{above + "- `pane`: the\npane\n", `the line "pane"`},
		{above + "- `pane`: the\n   pane\n", "the line"},
		{above + "- `pane`: the\n\n  pane\n", `the line ""`},
		{above + "- `pane`: the pane\n\n", `the line ""`},
		{above + "- `pane`: the pane\n\n## Arguments\n\n- `size`: its size\n", `the line ""`},
		{above + "- `pane`: the pane\n- `pane`: the pane\n", "pane is described twice"},
		{above + "- `window`: the window\n", "no arguments window"},
		{above + "- `Pane`: the pane\n- `name`: a name\n", "no arguments Pane, name"},
		{above + "- `values.name`: a name\n", "no arguments values.name"},
		{above + "- `values[]`: a value\n", "no arguments values[]"},
		{above + "- `pane`: the pane\n- `values`: all\n", "arguments size, values[].name have no description"},
		{"Run it.\n", "arguments pane, size, values, values[].name have no description"},
		{above + "- `tagged`: again\n", "tagged has a description in its struct tag"},
	} {
		if _, err := description.Read[arguments](c.markdown); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.markdown, err, c.says)
		}
	}
}
