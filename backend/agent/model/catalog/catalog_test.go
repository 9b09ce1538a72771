package catalog

import (
	"strings"
	"testing"
)

func TestData_EveryLine_IsReadAndPlausible(t *testing.T) {
	models := 0
	for line := range strings.Lines(data) {
		line = strings.TrimSpace(line)
		if f := strings.Fields(line); !strings.HasPrefix(line, "#") && len(f) != 8 && (len(f) != 4 || f[0] != "provider") {
			t.Errorf("the line %q is neither a provider nor a model", line)
		}
	}
	c := load()
	for i, p := range c.providers {
		if i > 0 && c.providers[i-1].id >= p.id {
			t.Errorf("%s is not sorted", p.id)
		}
		if len(p.ids) == 0 {
			t.Errorf("%s has no models", p.id)
		}
		for id, m := range p.ids {
			models++
			if m.Window < 0 || m.Window > 100_000_000 || m.Price.In < 0 || m.Price.CacheRead > m.Price.In {
				t.Errorf("%s of %s: %+v", id, p.id, m)
			}
		}
	}
	if models < 1000 {
		t.Errorf("only %d models", models)
	}
	for _, id := range []string{"openai", "anthropic", "gemini", "openrouter", "deepseek", "groq", "xai", "azure"} {
		if c.provider(id) == nil {
			t.Errorf("the data has no provider %s", id)
		}
	}
	for _, word := range []string{"charm.land/catwalk v", " of 20", "MIT", "Copyright"} {
		if !strings.Contains(c.origin, word) {
			t.Errorf("the origin %q does not name %q", c.origin, word)
		}
	}
}

func TestCanonicalName_DateOrLatest_IsDropped(t *testing.T) {
	for name, want := range map[string]string{
		"openai/GPT-4.5":           "gpt-4-5",
		"gpt-4o-2024-08-06":        "gpt-4o",
		"gpt-4o-2024-0806":         "gpt-4o",
		"claude-opus-4-202505-14":  "claude-opus-4",
		"claude-opus-4@20250514":   "claude-opus-4",
		"gemini:latest":            "gemini",
		"gemini-latest":            "gemini",
		"gemini@latest":            "gemini@latest",
		"mistral-large-2512":       "mistral-large-2512",
		"gpt-4o-2024-08-0x":        "gpt-4o-2024-08-0x",
		"gpt-4o-2024-08-06-x:free": "gpt-4o-2024-08-06-x-free",
		"-20250514":                "",
		"20250514":                 "20250514",
	} {
		if got := canonicalName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestFind_AtProvider_HasItsPrice(t *testing.T) {
	for _, c := range []struct {
		base, model string
		window      int
		in, out     float64
	}{
		{"https://api.openai.com/v1", "gpt-5", 400_000, 1.25, 10},
		{"https://api.openai.com/v1", "gpt-4o-2024-08-06", 128_000, 2.5, 10},
		{"https://api.anthropic.com", "claude-sonnet-4-5", 200_000, 3, 15},
		{"https://api.anthropic.com/v1", "claude-sonnet-4-5-20250929", 200_000, 3, 15},
		{"https://api.deepseek.com", "deepseek-v4-pro", 1_000_000, 0.435, 0.87},
		{"https://generativelanguage.googleapis.com/v1beta/openai", "models/gemini-2.5-pro", 1_048_576, 1.25, 10},
		{"https://mine.openai.azure.com/openai/v1", "gpt-5", 400_000, 1.25, 10},
		{"https://api.mistral.ai/v1", "mistral-large-2512", 262_144, 0.5, 1.5}, // OpenRouter has the maker's price
		{"https://openrouter.ai/api/v1", "openai/gpt-5", 400_000, 1.25, 10},
	} {
		m, ok := Find(c.base, c.model)
		if !ok || m.Window != c.window || m.Price.In != c.in || m.Price.Out != c.out {
			t.Errorf("%s at %s: %+v, %v", c.model, c.base, m, ok)
		}
	}
	for _, c := range [][2]string{
		{"https://api.openai.com/v1", "gpt-4o-audio-preview"},
		{"https://api.openai.com/v1", "gpt-5:free"},
		{"https://api.openai.com.example.org/v1", "gpt-5"},
		{"http://api.openai.com/v1", "gpt-5"},
		{"http://127.0.0.1:11434/v1", "gpt-5"},
		{"://", "gpt-5"},
	} {
		if m, ok := Find(c[0], c[1]); ok {
			t.Errorf("%s at %s is %+v", c[1], c[0], m)
		}
	}
}

func TestFindName_AnyServer_HasNoPrice(t *testing.T) {
	for model, window := range map[string]int{
		"gpt-5":                       400_000,
		"anthropic/claude-sonnet-4.5": 200_000,
		"gpt-99":                      128_000,
		"claude-next":                 200_000,
		"qwen2.5-coder:7b":            32_768,
	} {
		m, ok := FindName(model)
		if !ok || m.Window != window || m.Price.IsKnown() {
			t.Errorf("%s: %+v, %v", model, m, ok)
		}
	}
	if m, ok := FindName("unheard-of"); ok {
		t.Errorf("an unknown name is %+v", m)
	}
}

func TestSuggested_UnknownProvider_IsEmpty(t *testing.T) {
	if m := Suggested("https://api.anthropic.com"); m == "" {
		t.Error("nothing is suggested for Anthropic")
	} else if _, ok := Find("https://api.anthropic.com", m); !ok {
		t.Errorf("%s is suggested and not listed", m)
	}
	if m := Suggested("http://127.0.0.1:1/v1"); m != "" {
		t.Errorf("%s is suggested for a local server", m)
	}
}
