package model

import (
	"net/url"
	"strings"

	"goalpost/backend/goal"
)

// price is what a model costs in USD per million tokens and how many tokens
// its window holds.
type price struct {
	prefix  string
	in, out float64
	window  int
}

// prices are list prices without caching or batch discounts. The longest prefix
// wins. What is not in here costs an unknown amount, written as 0.
func prices() []price {
	return []price{
		{"gpt-4o", 2.50, 10.00, 128_000},
		{"gpt-4o-mini", 0.15, 0.60, 128_000},
		{"gpt-4.1", 2.00, 8.00, 1_047_576},
		{"gpt-4.1-mini", 0.40, 1.60, 1_047_576},
		{"gpt-4.1-nano", 0.10, 0.40, 1_047_576},
	}
}

func find(model string) price {
	var best price
	for _, p := range prices() {
		rest, ok := strings.CutPrefix(model, p.prefix)
		// gpt-4o-2024-08-06 is gpt-4o; gpt-4o-audio-preview is another model.
		if ok && len(p.prefix) > len(best.prefix) && (rest == "" || strings.HasPrefix(rest, "-20")) {
			best = p
		}
	}
	return best
}

// Window is how many tokens a model's context holds, 0 if that is unknown.
func Window(model string) int { return find(model).window }

// cost is 0 where no price is known: another server may serve a model of the
// same name for another price, or for none.
func (c *OpenAI) cost(model string, u goal.Usage) float64 {
	base, err := url.Parse(c.o.BaseURL)
	if err != nil || base.Hostname() != "api.openai.com" {
		return 0
	}
	p := find(model)
	return (float64(u.TokensIn)*p.in + float64(u.TokensOut)*p.out) / 1e6
}
