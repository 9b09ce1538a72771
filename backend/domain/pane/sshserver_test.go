package pane

import "testing"

func TestParseSSHTarget_EachForm_IsReadOrRefused(t *testing.T) {
	for text, want := range map[string]SSHServer{
		"box":                       {Host: "box"},
		" ada@box.example ":         {Host: "box.example", User: "ada"},
		"ada@box:2222":              {Host: "box", User: "ada", Port: 2222},
		"ssh://ada@10.0.0.1:22/":    {Host: "10.0.0.1", User: "ada", Port: 22},
		"[::1]:2200":                {Host: "::1", Port: 2200},
		"ada@fe80::1":               {Host: "fe80::1", User: "ada"},
		"ada@corp.example@box:2222": {Host: "box", User: "ada@corp.example", Port: 2222},
	} {
		want.Tmux = true
		if got, err := ParseSSHTarget(text); err != nil || got != want {
			t.Errorf("%q: %+v %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "@box", "ada@", "box:", "box:x", "box:0", "box:70000", "-oProxyCommand=true", "-l@box", "a b", "[::1", "[::1]x",
		"box/path", "box\nx",
	} {
		if got, err := ParseSSHTarget(text); err == nil {
			t.Errorf("%q is taken as %+v", text, got)
		}
	}
}
