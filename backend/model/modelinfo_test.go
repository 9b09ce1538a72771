package model

import (
	"math"
	"testing"

	"goalpost/backend/model/catalog"
)

func TestModelCatalog(t *testing.T) {
	for model, window := range map[string]int{
		"gpt-4o":                      128_000,
		"gpt-4o-mini-2024-07-18":      128_000,
		"gpt-4.1-mini":                1_047_576,
		"openai/gpt-4.1":              1_047_576,
		"gpt-99":                      128_000,
		"claude-sonnet-4-5-20250929":  200_000,
		"anthropic/claude-sonnet-4.5": 200_000,
		"claude-opus-5-5":             1_000_000,
		"claude-next":                 200_000,
		"qwen2.5-coder:7b":            32_768,
		"llama":                       DefaultContextWindow,
		"":                            DefaultContextWindow,
	} {
		got, isKnown := ContextWindow("http://127.0.0.1:1/v1", model)
		if got != window || isKnown != (window != DefaultContextWindow || model == "qwen2.5-coder:7b") {
			t.Errorf("window of %q is %d, known: %v", model, got, isKnown)
		}
	}
	for model, sees := range map[string]bool{
		"gpt-4o":           true,
		"claude-haiku-4-5": true,
		"gpt-oss:20b":      false,
		"qwen2.5-coder:7b": false,
		"gpt-3.5-turbo":    false,
		"unheard-of":       true,
	} {
		if SupportsImages(model) != sees {
			t.Errorf("%q sees: %v", model, !sees)
		}
	}
	far, claude, local := &baseClient{o: Options{BaseURL: "https://api.openai.com/v1"}},
		&baseClient{o: Options{BaseURL: "https://api.anthropic.com"}},
		&baseClient{o: Options{BaseURL: "http://127.0.0.1:1/v1"}}
	priced := &baseClient{o: Options{
		BaseURL: "http://127.0.0.1:1/v1",
		Model:   "mine",
		Price:   catalog.Price{In: 1, Out: 2},
	}}
	for _, c := range []struct {
		server *baseClient
		model  string
		used   tokenCount
		usd    float64
	}{
		{far, "gpt-4o-2024-08-06", tokenCount{in: 1_000_000, out: 100_000}, 3.5},
		{far, "gpt-4o", tokenCount{in: 500_000, cacheRead: 500_000}, 1.875},
		{far, "gpt-4o-audio-preview", tokenCount{in: 1_000_000}, 0}, // another model
		{claude, "claude-sonnet-4-5-20250929", tokenCount{
			in:         1_000_000,
			out:        100_000,
			cacheRead:  1_000_000,
			cacheWrite: 1_000_000,
		}, 3 + 1.5 + 0.3 + 3.75},
		{local, "gpt-4o", tokenCount{in: 1_000_000, out: 1_000_000}, 0},
		{priced, "mine", tokenCount{in: 1_000_000, out: 1_000_000}, 3},
		{priced, "gpt-4o", tokenCount{in: 1_000_000}, 0}, // the user's price is for the provider's own model
	} {
		if usd := c.server.cost(c.model, c.used); math.Abs(usd-c.usd) > 1e-9 {
			t.Errorf("%s at %s costs %v, want %v", c.model, c.server.o.BaseURL, usd, c.usd)
		}
	}
}
