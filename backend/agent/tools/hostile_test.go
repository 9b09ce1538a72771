package tools_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/goal"
)

var hostile = flag.Int("hostile", 1000,
	"hostile argument objects for each tool in TestTools_HostileArguments_HaveNoEffect; make hostile gives 10000")

// TestTools_HostileArguments_HaveNoEffect: no arguments make a tool panic, each error has a text, and a refused call
// has no effect. Computing the effect never changes anything, even for a valid call.
func TestTools_HostileArguments_HaveNoEffect(t *testing.T) {
	h := newFixture(t)
	h.put("kept.txt", "kept\n")
	h.panes.at, h.panes.shown = "http://127.0.0.1/", "shown"
	before := tree(t, filepath.Dir(h.dir))
	for _, tool := range h.box.Tools() {
		name := tool.Spec().Name
		var schema property
		if err := json.Unmarshal(tool.Spec().Schema, &schema); err != nil {
			t.Fatal(err)
		}
		dice := rand.New(rand.NewPCG(7, uint64(len(name))<<32|uint64(name[0])))
		refused := 0
		for range *hostile {
			args := crooked(dice, schema)
			h.panes.asked, h.vision.asked = "", ""
			received := &run{}
			ctx := goal.WithRun(t.Context(), goal.Run{Goal: "g1", Control: received})
			_, err := tool.Effect(ctx, args)
			if err != nil && strings.TrimSpace(err.Error()) == "" {
				t.Fatalf("%s refuses %q without a word", name, args)
			}
			if err == nil || !unfit(tool, err) { // the schema accepts it, so it may be executed
				if h.panes.asked+h.vision.asked != "" || received.said != nil {
					t.Fatalf("the effect of %s%s did something: %q %v", name, args, h.panes.asked+h.vision.asked, received.said)
				}
				continue
			}
			refused++
			if r := tool.Do(ctx, args); r.OK || r.Text == "" {
				t.Fatalf("%s does %q, which does not fit: %+v", name, args, r)
			}
			if h.panes.asked+h.vision.asked != "" || received.said != nil {
				t.Fatalf("%s%s does not fit and did something: %q %v", name, args, h.panes.asked+h.vision.asked, received.said)
			}
		}
		if refused < *hostile/4 || refused == *hostile {
			t.Errorf("%d of %d were refused by the schema of %s: the dice are loaded", refused, *hostile, name)
		}
	}
	if after := tree(t, filepath.Dir(h.dir)); after != before {
		t.Errorf("the folder was\n%s and is\n%s", before, after)
	}
}

// unfit reports whether the schema refused the arguments.
func unfit(tool tools.Tool, err error) bool {
	return strings.HasPrefix(err.Error(), "the arguments of "+tool.Spec().Name)
}

// crooked makes arguments that resemble a schema but often violate it.
func crooked(dice *rand.Rand, schema property) json.RawMessage {
	switch dice.IntN(20) {
	case 0:
		return json.RawMessage(scraps[dice.IntN(len(scraps))])
	case 1:
		b := object(dice, schema, 3)
		return json.RawMessage(b[:dice.IntN(len(b))])
	case 2:
		b := []byte(object(dice, schema, 3))
		b[dice.IntN(len(b))] ^= byte(1 + dice.IntN(255))
		return b
	}
	return json.RawMessage(object(dice, schema, dice.IntN(4)))
}

var scraps = []string{
	"", "null", "[]", "{}", "true", "0", `""`, "{", `{"":""}`, `{"pane":{"$ref":"#"}}`, `{"__proto__":{}}`, "{}{}",
	"\x00", "\xff\xfe", `{"path":1e400}`,
	`{"path":"a","path":"../b"}`, strings.Repeat("[", 5000), strings.Repeat(`{"a":`, 5000), `{"a":"\ud800"}`, "// {}",
	`{'path':'a'}`, `{"path":"a",}`,
}

// object writes a JSON object for a schema. The higher the malice, the less the object conforms to the schema.
func object(dice *rand.Rand, schema property, malice int) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		needed := slices.Contains(schema.Required, key)
		if !needed && dice.IntN(2) == 0 || needed && malice > 0 && dice.IntN(12) == 0 {
			continue
		}
		p := schema.Properties[key]
		value := fitting(dice, p, malice)
		if malice > 0 && dice.IntN(6) < malice {
			value = wrong[dice.IntN(len(wrong))]
		}
		if malice > 1 && dice.IntN(10) == 0 {
			key = strings.ToUpper(key)
		}
		parts = append(parts, fmt.Sprintf("%q:%s", key, value))
	}
	if malice > 1 && dice.IntN(4) == 0 {
		parts = append(parts, `"unknown":`+wrong[dice.IntN(len(wrong))])
	}
	return "{" + strings.Join(parts, ",") + "}"
}

var wrong = []string{
	"null", "[]", "{}", "true", "-1", "1.5", "1e308", "9223372036854775807", "-9223372036854775808",
	"18446744073709551616", `""`, `"x"`, `[[[[]]]]`,
	`{"a":{"b":{"c":[1,2,{"d":null}]}}}`, `[null,1,"x",{}]`, `"\u0000"`, `"\ud800"`,
}

var strange = []string{
	"", " ", "a", "t1", "b1", "x9", "e1", "../../etc/passwd", "/etc/passwd", "out/../../x", "kept.txt",
	".git/hooks/pre-commit", "a\x00b", "\u202e", "'; rm -rf / #",
	"</output>", "javascript:alert(1)", "file:///etc/passwd", "http://[::1", "((((", "(?P<", "a{1000}{1000}", "[[0,0]]",
	"parent", "pattern", "shell", "manual", "host",
	"Ctrl+C", "e999999999999999999999", strings.Repeat("ü", 300), strings.Repeat("x", 20_000),
}

func fitting(dice *rand.Rand, p property, malice int) string {
	switch p.Type {
	case "string":
		b, err := json.Marshal(strange[dice.IntN(len(strange))])
		if err != nil {
			return `""`
		}
		return string(b)
	case "integer":
		return fmt.Sprint([]int64{0, 1, -1, 2, 600, 1 << 31, 1<<63 - 1, -1 << 63}[dice.IntN(8)])
	case "boolean":
		return fmt.Sprint(dice.IntN(2) == 0)
	case "array":
		list := make([]string, dice.IntN(4))
		for i := range list {
			list[i] = fitting(dice, *p.Items, malice)
		}
		return "[" + strings.Join(list, ",") + "]"
	case "object":
		return object(dice, p, malice)
	}
	return "null"
}

// tree returns all paths below a folder with their content.
func tree(tb testing.TB, dir string) string {
	tb.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			fmt.Fprintln(&b, path, err)
			return nil
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %q %v\n", path, content, err)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return b.String()
}
