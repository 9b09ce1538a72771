package model

import (
	"testing"
)

func TestContextWindow_ByModelName_IsKnownOrDefault(t *testing.T) {
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
}
