package config

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestSchema_IsCurrent compares the embedded schema with the types of the settings file, their comments and their tags.
func TestSchema_IsCurrent(t *testing.T) {
	b, err := json.MarshalIndent(makeSchema(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	if *updatePage {
		if err := os.WriteFile(schemaName, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(b, []byte(Schema())) {
		t.Error("settings.schema.json is stale: write it with `go test ./backend/storage/config -run Schema -update`")
	}
}

type object = map[string]any

func makeSchema(t *testing.T) object {
	t.Helper()
	m := schemaMaker{comments: fieldComments(t), settings: map[string]setting{}}
	for _, s := range settingFields() {
		m.settings[s.key] = s
	}
	root := m.schemaOf(reflect.TypeFor[file]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Settings of Goalpost"
	return root
}

// fieldComments returns the comments of the package's fields, as Type.Field.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if of, ok := s.Type.(*ast.StructType); ok {
				for _, f := range of.Fields.List {
					for _, field := range f.Names {
						words := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
						comments[s.Name.Name+"."+field.Name] = words
					}
				}
			}
			return true
		})
	}
	return comments
}

type schemaMaker struct {
	comments map[string]string
	settings map[string]setting
}

// schemaOf returns the schema of the JSON that is read into a type.
func (m schemaMaker) schemaOf(t reflect.Type) object {
	names := map[reflect.Kind]string{
		reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number",
		reflect.String: "string",
	}
	switch kind := t.Kind(); {
	case kind == reflect.Pointer:
		return m.schemaOf(t.Elem())
	case names[kind] != "":
		return object{"type": names[kind]}
	case kind == reflect.Slice: // Go writes an empty one as null
		return object{"type": []string{"array", "null"}, "items": m.schemaOf(t.Elem())}
	case kind == reflect.Map:
		return object{"type": []string{"object", "null"}, "additionalProperties": m.schemaOf(t.Elem())}
	case t == timeType:
		return object{"type": "string", "format": "date-time"}
	}
	properties := object{}
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || key == "-" {
			continue
		}
		properties[key] = m.property(t, f, key)
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}

func (m schemaMaker) property(in reflect.Type, f reflect.StructField, key string) object {
	property := m.schemaOf(f.Type)
	if len(f.Index) > 1 {
		in = in.FieldByIndex(f.Index[:1]).Type
	}
	if words := m.comments[in.Name()+"."+f.Name]; words != "" {
		property["description"] = describe(f.Name, words)
	}
	s, isSetting := m.settings[key]
	if !isSetting || in != reflect.TypeFor[Settings]() && in != reflect.TypeFor[ModelRoles]() {
		return property
	}
	property["default"] = reflect.ValueOf(defaultSettings()).FieldByIndex(s.index).Interface()
	if s.values != nil {
		property["enum"] = s.values
	}
	if s.hasMax {
		least := object{"minimum": s.min, "maximum": s.max}
		if s.zero != "" {
			property["anyOf"] = []object{{"const": 0}, least}
		} else {
			property["minimum"], property["maximum"] = s.min, s.max
		}
	}
	if s.typ.Kind() == reflect.Map {
		property["propertyNames"] = object{"pattern": commandForm.Regexp().String()}
		property["maxProperties"] = maxCommands
	}
	switch key {
	case "keys":
		keys := property["additionalProperties"].(object)
		keys["items"] = object{"type": "string", "pattern": keyForm.Regexp().String()}
		keys["maxItems"] = maxKeys
	case "leader_keys":
		property["additionalProperties"] = object{"type": "string", "pattern": leaderForm.Regexp().String()}
	}
	return property
}

// TestSettings_EveryNumber_HasARange keeps a number without limits out of the file.
func TestSettings_EveryNumber_HasARange(t *testing.T) {
	for _, s := range settingFields() {
		if k := s.typ.Kind(); (k == reflect.Int || k == reflect.Float64) != s.hasMax {
			t.Errorf("%s: a %s with the range %v", s.key, k, s.hasMax)
		}
		if s.typ != reflect.TypeFor[string]() && s.typ.Kind() == reflect.String && s.values == nil {
			t.Errorf("%s has no list of its values", s.key)
		}
	}
	if err := defaultSettings().validate(); err != nil {
		t.Error(err)
	}
}
