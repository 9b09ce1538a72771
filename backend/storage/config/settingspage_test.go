package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var updatePage = flag.Bool("update", false, "write docs/guide/settings.md")

// TestSettingsPage_IsCurrent compares docs/guide/settings.md with the fields of Settings and their comments.
func TestSettingsPage_IsCurrent(t *testing.T) {
	page := filepath.Join("..", "..", "..", "docs", "guide", "settings.md")
	want := []byte(settingsPage(t))
	if *updatePage {
		if err := os.WriteFile(page, want, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/guide/settings.md is stale (%v): "+
			"write it with `go test ./backend/storage/config -run SettingsPage -update`", err)
	}
}

func settingsPage(t *testing.T) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "settings.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]*ast.FieldList{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.TypeSpec); ok {
			if of, ok := s.Type.(*ast.StructType); ok {
				structs[s.Name.Name] = of.Fields
			}
		}
		return true
	})
	var fields []*ast.Field
	for _, f := range structs["Settings"].List {
		if len(f.Names) == 0 { // embedded
			fields = append(fields, structs[f.Type.(*ast.Ident).Name].List...)
			continue
		}
		fields = append(fields, f)
	}
	var w strings.Builder
	w.WriteString("# Settings\n\n" +
		"Generated from the program: `go test ./backend/storage/config -run SettingsPage -update`.\n\n" +
		"The window's **Settings** change them, one page at a time, and show what was refused and why. `/` searches the " +
		"names, descriptions and synonyms of all pages, Enter opens the best hit, and Esc closes. In a browser, each page " +
		"and row has an address, such as `?place=settings&at=models` or `?place=settings&at=scrollback`. They are in " +
		"`settings.json` in the data folder ([where is it?](faq.md#where-is-my-data)). A running window sees changes " +
		"of the file. **Open settings.json** shows it in a pane. Editors complete and check it with the schema beside it, " +
		"which `goalctl settings schema` prints.\n\n" +
		"The top of the settings, `goalctl settings check` and each other command name every error in the file, with its " +
		"line and column. What is wrong has its default, and nothing is saved in the window until you correct the file or " +
		"move it aside (`goalctl settings move-aside`). A copy of it stays beside it then.\n\n" +
		"| key | default | meaning |\n|---|---|---|\n")
	defaults := reflect.ValueOf(defaultSettings())
	for _, f := range fields {
		name := f.Names[0].Name
		typed, _ := defaults.Type().FieldByName(name)
		key, _, _ := strings.Cut(typed.Tag.Get("json"), ",")
		value, err := json.Marshal(defaults.FieldByName(name).Interface())
		if err != nil {
			t.Fatal(err)
		}
		comment := strings.Join(strings.Fields(f.Doc.Text()), " ")
		if comment == "" {
			t.Errorf("the setting %s has no comment", name)
		}
		fmt.Fprintf(&w, "| `%s` | `%s` | %s |\n", key, value, describe(name, comment))
	}
	w.WriteString("\nProviders, secrets and MCP servers have their own pages and their own commands: " +
		"`goalctl providers`, `goalctl secret`, `goalctl mcp servers`.\n\n" +
		"## Environment\n| variable | meaning |\n|---|---|\n" +
		"| `" + HomeVariable + "` | one folder for everything that Goalpost stores |\n" +
		"| `" + KeyFileVariable + "` | the file with the key of the encrypted secrets; by default it is beside them |\n" +
		"| `GOALPOST_KEEP_ENV` | more variables that programs of goals receive, separated by commas |\n")
	return w.String()
}

// describe turns a field's comment into a sentence.
func describe(name, comment string) string {
	rest := strings.TrimPrefix(comment, name+" ")
	for _, verb := range []string{"is ", "are ", "means "} {
		rest = strings.TrimPrefix(rest, verb)
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}
