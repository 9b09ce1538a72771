package model

import (
	"cmp"

	"goalpost/backend/agent/model/catalog"
	"goalpost/backend/domain/goal"
)

// tokenCount is the number of tokens that a provider counted in one turn.
type tokenCount struct {
	in, out, cacheRead, cacheWrite int64 // in excludes tokens read from the cache or written to it
}

func (t tokenCount) usage(usd float64) goal.Usage {
	return goal.Usage{TokensIn: t.in + t.cacheRead + t.cacheWrite, TokensOut: t.out, USD: usd}
}

// costAt returns the cost in USD.
func (t tokenCount) costAt(p catalog.Price) float64 {
	readPrice, writePrice := cmp.Or(p.CacheRead, p.In), cmp.Or(p.CacheWrite, p.In)
	usd := float64(t.in)*p.In + float64(t.out)*p.Out + float64(t.cacheRead)*readPrice + float64(t.cacheWrite)*writePrice
	return usd / 1e6
}

// cost returns the cost in USD, 0 if the price is unknown: another server may offer a model of the same name at
// another price, or for free.
func (b *baseClient) cost(model string, t tokenCount) float64 {
	return t.costAt(b.price(model))
}

// price returns the user's price for the client's model, or else the published one.
func (b *baseClient) price(model string) catalog.Price {
	if b.o.Price.IsKnown() && model == b.o.Model {
		return b.o.Price
	}
	if m, ok := catalog.Find(b.o.BaseURL, model); ok && m.Price.IsKnown() {
		return m.Price
	}
	return catalog.Price{}
}
