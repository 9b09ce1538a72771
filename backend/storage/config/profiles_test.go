package config

import (
	"errors"
	"testing"

	"goalpost/backend/lib/fault"
)

func TestTerminalProfiles_SaveAndDelete_AreKeptInTheFile(t *testing.T) {
	dir := t.TempDir()
	c := openIn(t, dir)
	save := func(was string, p TerminalProfile) {
		t.Helper()
		if err := c.SaveTerminalProfile(was, p); err != nil {
			t.Fatal(err)
		}
	}
	save("", TerminalProfile{Name: "Web", Command: "bash", Default: true})
	save("", TerminalProfile{Name: "Agent", Command: "claude --continue", Env: []string{"A=b=c"}, ColorScheme: "Nord"})
	save("Agent", TerminalProfile{Name: "Zeta", Command: "claude", Default: true})
	again := openIn(t, dir)
	list := again.TerminalProfiles()
	if len(list) != 2 || list[0].Name != "Web" || list[0].Default || list[1].Name != "Zeta" || !list[1].Default {
		t.Fatalf("after a restart: %+v", list)
	}
	if p, ok := again.TerminalProfile(""); !ok || p.Name != "Zeta" {
		t.Errorf("the default is %+v", p)
	}
	if err := again.DeleteTerminalProfile("Zeta"); err != nil {
		t.Fatal(err)
	}
	if p, ok := c.TerminalProfile(""); ok {
		t.Errorf("without a default there is %+v", p)
	}
	for field, p := range map[string]TerminalProfile{
		"name":         {Name: "Web"},
		"command":      {Name: "New", Command: "a | b"},
		"env":          {Name: "New", Env: []string{"not a variable"}},
		"color_scheme": {Name: "New", ColorScheme: "Nothing"},
	} {
		var problem *fault.Error
		if err := c.SaveTerminalProfile("", p); !errors.As(err, &problem) || problem.Field != field || problem.Hint == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestTerminalProfile_SchemeRemoved_FollowsTheTheme(t *testing.T) {
	c := openIn(t, t.TempDir())
	if _, err := c.ImportColorScheme("evening.yaml", []byte(base16File)); err != nil {
		t.Fatal(err)
	}
	if err := c.SaveTerminalProfile("", TerminalProfile{Name: "Web", ColorScheme: "Evening"}); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteColorScheme("Evening"); err != nil {
		t.Fatal(err)
	}
	if p, _ := c.TerminalProfile("Web"); p.ColorScheme != "" {
		t.Errorf("the color scheme is %q", p.ColorScheme)
	}
}
