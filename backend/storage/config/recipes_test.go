package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

// TestRecipes_Saved_AreReadBack saves recipes, reads them by name, and checks that none is replaced.
func TestRecipes_Saved_AreReadBack(t *testing.T) {
	c := open(t, t.TempDir())
	if list, err := c.Recipes(); err != nil || len(list) > 0 {
		t.Fatalf("%v %v", list, err)
	}
	place := "a: \"b\"\n- c"
	r := goal.Recipe{
		Name:        "log-in",
		Description: "logs in",
		Parameters:  []goal.Parameter{{Name: "place", Default: &place}, {Name: "n", Number: true}},
		Steps: []goal.RecipeStep{
			{
				Tool: "browser_click_at",
				Arguments: map[string]any{
					"pane":  "{{place}}",
					"x":     "{{n}}",
					"keys":  []any{"a", "Ctrl+C"},
					"yes":   true,
					"count": 1000000,
				},
				OnFail: "continue",
			},
		},
	}
	if err := c.SaveRecipe(r); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Recipe("log-in"); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v %v", got, err)
	}
	if calls, err := r.Fill(map[string]string{"n": "7"}); err != nil ||
		!strings.Contains(calls[0].Arguments, `"count":1000000`) || !strings.Contains(calls[0].Arguments, `"x":7`) {
		t.Errorf("%+v %v", calls, err)
	}
	if err := c.SaveRecipe(r); !strings.Contains(invalid(err).Message, "already") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"../settings", "", "A", "a/b", ".x", strings.Repeat("a", 61)} {
		if _, err := c.Recipe(name); !strings.Contains(invalid(err).Message, "not a valid recipe name") {
			t.Errorf("%q: %v", name, err)
		}
	}
	dir := filepath.Join(c.State(), "recipes")
	for name, text := range map[string]string{
		"unknown": "name: unknown\nrisk: spends_money\nsteps: [{tool: x}]\n",
		"none":    "name: none\n",
		"other":   "name: another\nsteps: [{tool: x}]\n",
		"broken":  "{{{",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Recipe(name); invalid(err).Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list, err := c.Recipes(); err == nil || len(list) != 1 {
		t.Errorf("%d recipes beside the broken ones, %v", len(list), err)
	}
	if err := c.DeleteRecipe("log-in"); err != nil {
		t.Fatal(err)
	}
	if names, err := c.RecipeNames(); err != nil || slices.Contains(names, "log-in") || len(names) == 0 {
		t.Errorf("after one was deleted: %v, %v", names, err)
	}
	if err := c.RestoreRecipe("log-in"); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Recipe("log-in"); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("restored: %+v, %v", got, err)
	}
	if err := c.RestoreRecipe("log-in"); !strings.Contains(invalid(err).Message, "already") {
		t.Errorf("restored twice: %v", err)
	}
	if err := c.DeleteRecipe("log-in"); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteRecipe("log-in"); !strings.Contains(invalid(err).Message, "no recipe") {
		t.Errorf("%v", err)
	}
}
