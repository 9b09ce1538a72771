// Package catalog holds context windows, prices and abilities of models as their providers publish them. `make
// model-data` writes the data, models.txt.
package catalog

import (
	_ "embed"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed models.txt
var data string

// Model describes a model. A zero field is unknown.
type Model struct {
	ID      string
	Window  int // of the context, in tokens
	Output  int // the longest reply, in tokens
	Price   Price
	Images  bool // accepts images
	Reasons bool // can think before it answers
}

// Price is in USD per million tokens. Package model computes what a turn costs from it.
type Price struct {
	In         float64 `json:"input"`
	Out        float64 `json:"output"`
	CacheRead  float64 `json:"cached_input,omitempty"` // 0 means the price of other input
	CacheWrite float64 `json:"cache_write,omitempty"`  // 0 means the price of other input
}

// IsKnown reports whether a cost can be computed.
func (p Price) IsKnown() bool { return p.In > 0 && p.Out > 0 }

// provider is one provider of the data, with its models by id and by canonical name.
type provider struct {
	id, address, suggested string
	ids, names             map[string]Model
}

// catalog is the parsed data.
type catalog struct {
	origin    string
	providers []*provider
	names     map[string]Model // of all providers, the makers of models first
}

var load = sync.OnceValue(func() *catalog { return parseCatalog(data) })

// Find returns the data of a model at the provider with a base URL. isKnown is false if the provider or the model is
// not in the data.
func Find(baseURL, model string) (m Model, isKnown bool) {
	c := load()
	p := c.providerAt(baseURL)
	if p != nil {
		if m, ok := p.find(model); ok {
			return m, true
		}
	}
	// OpenRouter lists models with their makers' prices, including some that are missing in the makers' own lists.
	maker := makerPrefix(baseURL)
	if router := c.provider("openrouter"); maker != "" && router != nil && !strings.Contains(model, "/") {
		for id, m := range router.ids {
			if strings.HasPrefix(id, maker) && !strings.Contains(id, ":") && canonicalName(id) == canonicalName(model) {
				m.ID = model
				return m, true
			}
		}
	}
	return Model{}, false
}

// FindName returns the data of a model by its name, at any provider. The price is unknown.
func FindName(model string) (m Model, isKnown bool) {
	m, isKnown = load().names[canonicalName(model)]
	if !isKnown {
		m, isKnown = findFamily(model)
	}
	m.Price = Price{}
	return m, isKnown
}

// Suggested returns the model that the data suggests for a provider, "" if it suggests none.
func Suggested(baseURL string) string {
	if p := load().providerAt(baseURL); p != nil && p.suggested != "-" {
		return p.suggested
	}
	return ""
}

// knownFamilies returns estimates for models that the data does not list, such as older ones.
func knownFamilies() []Model {
	return []Model{
		{ID: "gpt-", Window: 128_000, Images: true},
		{ID: "gpt-oss", Window: 131_072},
		{ID: "claude-", Window: 200_000, Images: true},
		{ID: "claude-3-5-", Window: 200_000, Output: 8_192, Images: true},
		{ID: "claude-3-haiku", Window: 200_000, Output: 4_096, Images: true},
		{ID: "claude-3-opus", Window: 200_000, Output: 4_096, Images: true},
		{ID: "llama-3-1", Window: 131_072},
		{ID: "llama-3-3", Window: 131_072},
		{ID: "qwen2-5-coder", Window: 32_768},
		{ID: "qwen3-coder", Window: 262_144},
	}
}

func findFamily(model string) (best Model, isKnown bool) {
	name := canonicalName(model)
	for _, f := range knownFamilies() {
		if strings.HasPrefix(name, f.ID) && len(f.ID) > len(best.ID) {
			best, isKnown = f, true
		}
	}
	return best, isKnown
}

func (p *provider) find(model string) (Model, bool) {
	m, ok := p.ids[model]
	if !ok {
		m, ok = p.ids[strings.TrimPrefix(model, "models/")]
	}
	if !ok && !strings.Contains(model, ":") { // a variant such as x:free has another price than x
		m, ok = p.names[canonicalName(model)]
	}
	return m, ok
}

func (c *catalog) provider(id string) *provider {
	if i := slices.IndexFunc(c.providers, func(p *provider) bool { return p.id == id }); i >= 0 {
		return c.providers[i]
	}
	return nil
}

// providerAt returns the provider with the host of a base URL; if there are several, the one with the longest matching
// path.
func (c *catalog) providerAt(baseURL string) *provider {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "https" {
		return nil
	}
	var best *provider
	longest := -1
	for _, p := range c.providers {
		host, path, _ := strings.Cut(strings.TrimPrefix(p.address, "https://"), "/")
		suffix, isPattern := strings.CutPrefix(host, "*")
		if host != u.Hostname() && (!isPattern || !strings.HasSuffix(u.Hostname(), suffix)) {
			continue
		}
		matched := len(path)
		if !strings.HasPrefix(strings.TrimPrefix(u.Path, "/"), strings.TrimSuffix(path, "/v1")) {
			matched = 0
		}
		if matched > longest {
			best, longest = p, matched
		}
	}
	return best
}

// makerPrefix returns the prefix of OpenRouter's ids for the models of the maker whose server has the base URL.
func makerPrefix(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "https" {
		return ""
	}
	switch u.Hostname() {
	case "api.openai.com":
		return "openai/"
	case "api.anthropic.com":
		return "anthropic/"
	case "api.mistral.ai":
		return "mistralai/"
	case "generativelanguage.googleapis.com":
		return "google/"
	case "api.x.ai":
		return "x-ai/"
	}
	return ""
}

// dateLayouts are the forms of a date after a model's name: the separator, and # for a digit.
var dateLayouts = []string{
	"-20##-##-##", "-20####-##", "-20##-####", "-20######",
	"@20##-##-##", "@20####-##", "@20##-####", "@20######", "-latest", ":latest",
}

// trimDate returns a name without the date or the word latest at its end. It is no regular expression, because the
// first look-up of a process applies it to every model.
func trimDate(name string) string {
	for _, layout := range dateLayouts {
		if matchesLayout(name, layout) {
			return name[:len(name)-len(layout)]
		}
	}
	return name
}

// matchesLayout reports whether a name ends in a layout of dateLayouts.
func matchesLayout(name, layout string) bool {
	at := len(name) - len(layout)
	if at < 0 {
		return false
	}
	for i := range len(layout) {
		c := name[at+i]
		if isDigit := c >= '0' && c <= '9'; layout[i] == '#' && !isDigit || layout[i] != '#' && c != layout[i] {
			return false
		}
	}
	return true
}

var dashes = strings.NewReplacer(".", "-", ":", "-")

// canonicalName drops the maker's name before a model's and the date after it, and writes 4.5 as 4-5.
func canonicalName(model string) string {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:]
	}
	return dashes.Replace(trimDate(strings.ToLower(model)))
}

// makerIDs returns the providers that come first if several list a model.
func makerIDs() []string {
	return []string{
		"openai", "anthropic", "gemini", "xai", "deepseek", "moonshot", "zhipu", "alibaba-singapore", "minimax",
		"openrouter", "vercel",
	}
}

// parseCatalog reads the data. It skips unknown lines: the data is generated, and a test reads all of it.
func parseCatalog(text string) *catalog {
	c := &catalog{names: map[string]Model{}}
	var source, date, licence string
	comments := map[string]*string{"source: ": &source, "date: ": &date, "licence: ": &licence}
	var p *provider
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			for field, to := range comments {
				if value, ok := strings.CutPrefix(comment, field); ok {
					*to = value
				}
			}
			continue
		}
		f := strings.Fields(line)
		switch {
		case len(f) == 4 && f[0] == "provider":
			p = &provider{id: f[1], address: f[2], suggested: f[3], ids: map[string]Model{}, names: map[string]Model{}}
			c.providers = append(c.providers, p)
		case len(f) == 8 && p != nil:
			m := parseModel(f)
			p.ids[m.ID] = m
			if name := canonicalName(m.ID); p.names[name].ID == "" {
				p.names[name] = m
			}
		}
	}
	c.origin = source + " of " + date + " (" + licence + ")"
	for _, id := range makerIDs() {
		if p := c.provider(id); p != nil {
			c.addNames(p)
		}
	}
	for _, p := range c.providers {
		c.addNames(p)
	}
	return c
}

func (c *catalog) addNames(p *provider) {
	for name, m := range p.names {
		if _, ok := c.names[name]; !ok {
			c.names[name] = m
		}
	}
}

// parseModel reads the eight fields of a model; "-" is unknown.
func parseModel(f []string) Model {
	count := func(s string) int { n, _ := strconv.Atoi(s); return n }
	usd := func(s string) float64 { v, _ := strconv.ParseFloat(s, 64); return v }
	return Model{
		ID:     f[0],
		Window: count(f[1]),
		Output: count(f[2]),
		Price: Price{
			In:         usd(f[3]),
			Out:        usd(f[4]),
			CacheRead:  usd(f[5]),
			CacheWrite: usd(f[6]),
		},
		Images:  strings.Contains(f[7], "i"),
		Reasons: strings.Contains(f[7], "r"),
	}
}
