package model

import (
	"math"
	"testing"

	"goalpost/backend/agent/model/catalog"
)

func TestCost_ModelAtServer_HasItsPrice(t *testing.T) {
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
		{priced, "gpt-4o", tokenCount{in: 1_000_000}, 0}, // the user's price is for another model
	} {
		if usd := c.server.cost(c.model, c.used); math.Abs(usd-c.usd) > 1e-9 {
			t.Errorf("%s at %s costs %v, want %v", c.model, c.server.o.BaseURL, usd, c.usd)
		}
	}
}

func TestCost_CachedTokens_HaveTheirPrice(t *testing.T) {
	used := tokenCount{in: 1e6, out: 1e6, cacheRead: 1e6, cacheWrite: 1e6}
	for _, c := range []struct {
		price catalog.Price
		usd   float64
	}{
		{catalog.Price{In: 3, Out: 15, CacheRead: 0.3, CacheWrite: 3.75}, 3 + 15 + 0.3 + 3.75},
		{catalog.Price{In: 3, Out: 15}, 3 + 15 + 3 + 3},
		{catalog.Price{}, 0},
	} {
		if usd := used.costAt(c.price); math.Abs(usd-c.usd) > 1e-9 {
			t.Errorf("%+v costs %v", c.price, usd)
		}
	}
}
