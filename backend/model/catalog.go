package model

import (
	"net/url"
	"strings"

	"goalpost/backend/goal"
)

// modelInfo is what is known about a model by its name.
type modelInfo struct {
	prefix  string
	window  int     // of its context, in tokens
	output  int     // the longest reply that it accepts, in tokens; 0 unknown
	in, out float64 // USD per million tokens, without batch discounts; 0 unknown
	cached  float64 // USD per million tokens read from the cache; writing costs a quarter more than in
	blind   bool    // does not accept images
	family  bool    // a guess for all names with this prefix: no price
}

// modelCatalog has list prices and context windows as published by October 2026. The longest prefix wins. The cost of
// other models is unknown, written as 0.
func modelCatalog() []modelInfo {
	const k, m = 1_000, 1_000_000
	return []modelInfo{
		{prefix: "gpt-", window: 128 * k, family: true},
		{prefix: "gpt-3.5-turbo", window: 16_385, in: 0.50, out: 1.50, cached: 0.50, blind: true},
		{prefix: "gpt-4o", window: 128 * k, in: 2.50, out: 10.00, cached: 1.25},
		{prefix: "gpt-4o-mini", window: 128 * k, in: 0.15, out: 0.60, cached: 0.075},
		{prefix: "gpt-4.1", window: 1_047_576, in: 2.00, out: 8.00, cached: 0.50},
		{prefix: "gpt-4.1-mini", window: 1_047_576, in: 0.40, out: 1.60, cached: 0.10},
		{prefix: "gpt-4.1-nano", window: 1_047_576, in: 0.10, out: 0.40, cached: 0.025},
		{prefix: "gpt-5", window: 400 * k, in: 1.25, out: 10.00, cached: 0.125},
		{prefix: "gpt-5-mini", window: 400 * k, in: 0.25, out: 2.00, cached: 0.025},
		{prefix: "gpt-5-nano", window: 400 * k, in: 0.05, out: 0.40, cached: 0.005},
		{prefix: "gpt-5.1", window: 400 * k, in: 1.25, out: 10.00, cached: 0.125},
		{prefix: "gpt-5.2", window: 400 * k, in: 1.75, out: 14.00, cached: 0.175},
		{prefix: "gpt-5.4", window: 1_050 * k, in: 2.50, out: 15.00, cached: 0.25},
		{prefix: "gpt-5.4-mini", window: 400 * k, in: 0.75, out: 4.50, cached: 0.075},
		{prefix: "gpt-5.5", window: m, in: 5.00, out: 30.00, cached: 0.50},
		{prefix: "gpt-oss", window: 131_072, blind: true, family: true},
		{prefix: "o3", window: 200 * k, in: 2.00, out: 8.00, cached: 0.50},
		{prefix: "o3-mini", window: 200 * k, in: 1.10, out: 4.40, cached: 0.55, blind: true},
		{prefix: "o4-mini", window: 200 * k, in: 1.10, out: 4.40, cached: 0.275},

		{prefix: "claude-", window: 200 * k, family: true},
		{prefix: "claude-3-haiku", window: 200 * k, output: 4_096, in: 0.25, out: 1.25, cached: 0.03},
		{prefix: "claude-3-opus", window: 200 * k, output: 4_096, in: 15, out: 75, cached: 1.50},
		{prefix: "claude-3-5-haiku", window: 200 * k, output: 8_192, in: 0.80, out: 4, cached: 0.08},
		{prefix: "claude-3-5-sonnet", window: 200 * k, output: 8_192, in: 3, out: 15, cached: 0.30},
		{prefix: "claude-3-7-sonnet", window: 200 * k, output: 64 * k, in: 3, out: 15, cached: 0.30},
		{prefix: "claude-haiku-4-5", window: 200 * k, output: 64 * k, in: 1, out: 5, cached: 0.10},
		{prefix: "claude-haiku-5-5", window: m, output: 128 * k},
		{prefix: "claude-sonnet-4", window: 200 * k, output: 64 * k, in: 3, out: 15, cached: 0.30},
		{prefix: "claude-sonnet-4-5", window: 200 * k, output: 64 * k, in: 3, out: 15, cached: 0.30},
		{prefix: "claude-sonnet-4-6", window: 200 * k, output: 64 * k, in: 3, out: 15, cached: 0.30},
		{prefix: "claude-sonnet-5", window: m, output: 128 * k, in: 2, out: 10, cached: 0.20},
		{prefix: "claude-sonnet-5-5", window: m, output: 128 * k, in: 2, out: 10, cached: 0.20},
		{prefix: "claude-opus-4", window: 200 * k, output: 32 * k, in: 15, out: 75, cached: 1.50},
		{prefix: "claude-opus-4-1", window: 200 * k, output: 32 * k, in: 15, out: 75, cached: 1.50},
		{prefix: "claude-opus-4-5", window: 200 * k, output: 64 * k, in: 5, out: 25, cached: 0.50},
		{prefix: "claude-opus-4-6", window: 200 * k, output: 64 * k, in: 5, out: 25, cached: 0.50},
		{prefix: "claude-opus-4-7", window: m, output: 128 * k, in: 5, out: 25, cached: 0.50},
		{prefix: "claude-opus-4-8", window: m, output: 128 * k, in: 5, out: 25, cached: 0.50},
		{prefix: "claude-opus-5", window: m, output: 128 * k, in: 5, out: 25, cached: 0.50},
		{prefix: "claude-opus-5-5", window: m, output: 128 * k, in: 4, out: 20, cached: 0.20},
		{prefix: "claude-fable-5-1", window: m, output: 128 * k, in: 10, out: 50, cached: 1.00},

		{prefix: "llama-3.1", window: 131_072, blind: true, family: true},
		{prefix: "llama-3.3", window: 131_072, blind: true, family: true},
		{prefix: "qwen2.5-coder", window: 32_768, blind: true, family: true},
		{prefix: "qwen3-coder", window: 262_144, blind: true, family: true},
	}
}

// lookupModel is what is known about a model, the zero value if nothing is.
func lookupModel(model string) modelInfo {
	var best modelInfo
	name := canonicalName(model)
	for _, k := range modelCatalog() {
		rest, ok := strings.CutPrefix(name, canonicalName(k.prefix))
		if ok && len(k.prefix) > len(best.prefix) && (k.family || isSameModel(rest)) {
			best = k
		}
	}
	return best
}

// canonicalName drops the maker's name that resellers put before a model's, and writes 4.5 as 4-5.
func canonicalName(model string) string {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:]
	}
	return strings.ReplaceAll(strings.ToLower(model), ".", "-")
}

// isSameModel reports whether the rest of a name is only its date or edition: gpt-4o-2024-08-06 is gpt-4o;
// gpt-4o-audio-preview is another model.
func isSameModel(rest string) bool {
	return rest == "" || strings.HasPrefix(rest, "-20") || rest == "-latest" || strings.HasPrefix(rest, "@20") ||
		strings.HasPrefix(rest, ":")
}

// DefaultContextWindow is the assumed window of unknown models, in tokens.
const DefaultContextWindow = 32_768

// ContextWindow is the context window of a model in tokens, DefaultContextWindow if unknown.
func ContextWindow(model string) int {
	if w := lookupModel(model).window; w > 0 {
		return w
	}
	return DefaultContextWindow
}

// SupportsImages reports whether a model accepts images. For an unknown model it returns true: such a model answers
// with an error if it does not.
func SupportsImages(model string) bool { return !lookupModel(model).blind }

// tokenCount is what a provider counted in one turn, in tokens.
type tokenCount struct {
	in, out, cacheRead, cacheWrite int64 // in excludes tokens read from the cache or written to it
}

func (t tokenCount) usage(usd float64) goal.Usage {
	return goal.Usage{TokensIn: t.in + t.cacheRead + t.cacheWrite, TokensOut: t.out, USD: usd}
}

// cost is 0 if the price is unknown: another server may serve a model of the same name for another price, or for
// none.
func (s *baseClient) cost(model string, t tokenCount) float64 {
	if !HasPrice(s.o.BaseURL, model) {
		return 0
	}
	k := lookupModel(model)
	return (float64(t.in)*k.in + float64(t.cacheRead)*k.cached + float64(t.cacheWrite)*k.in*1.25 +
		float64(t.out)*k.out) / 1e6
}

// HasPrice reports whether the price of a model on a server is known, so that its cost counts.
func HasPrice(baseURL, model string) bool {
	base, err := url.Parse(baseURL)
	if err != nil || base.Hostname() != "api.openai.com" && base.Hostname() != "api.anthropic.com" {
		return false
	}
	k := lookupModel(model)
	return k.in > 0 && k.out > 0
}
