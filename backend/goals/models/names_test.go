package models_test

import (
	"testing"

	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

func TestChosen_NameOfAModel_MayNameTheProvider(t *testing.T) {
	ps := open(t)
	for _, p := range []config.Provider{
		{ID: "main", Kind: config.OpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "small"},
		{ID: "other", Kind: config.OpenAI, BaseURL: "http://127.0.0.1:2/v1", Model: "big"},
	} {
		if err := ps.Config.SaveProvider(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := ps.Config.Use("main"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, name, provider, model string }{
		{"", "", "main", "small"},
		{"", "large", "main", "large"},
		{"", "vendor/large", "main", "vendor/large"}, // as OpenRouter names models
		{"", "other", "other", "big"},
		{"", "other/vendor/large", "other", "vendor/large"},
		{"", "other/", "other", "big"},
		{"other", "main", "other", "main"}, // the provider is named, so this is a model
	} {
		p, err := ps.Chosen(c.id, c.name)
		if err != nil || p.ID != c.provider || p.Model != c.model {
			t.Errorf("%q %q: %s %s, %v", c.id, c.name, p.ID, p.Model, err)
		}
	}
	if _, err := ps.Find("typo/large", config.Provider{}); fault.Of(err).Field != "provider" {
		t.Errorf("a critic of a provider that does not exist: %v", err)
	}
}
