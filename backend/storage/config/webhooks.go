package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/lib/fault"
)

// Webhook is a service that receives notifications. Its address is in the secret webhook-NAME, because everyone who
// knows the address can post there.
type Webhook struct {
	Name string `json:"name"`
	// Form is what the service understands: ntfy, slack, teams or generic.
	Form string `json:"form"`
	// Events are what it receives: needs_you, ended, digest.
	Events []string `json:"events"`
	// PlainHTTP allows an address without encryption, on this computer or in its private network.
	PlainHTTP bool `json:"plain_http,omitempty"`
	// Failed is why the last delivery failed; nothing if it arrived.
	Failed *WebhookFailure `json:"failed,omitempty"`
}

// WebhookFailure is a delivery that failed for good.
type WebhookFailure struct {
	At      time.Time `json:"at"`
	Message string    `json:"message"`
}

// Webhooks lists the webhooks by name.
func (c *Config) Webhooks() []Webhook { return slices.Clone(c.current().Webhooks) }

// SaveWebhook adds a webhook or replaces the one with its name. The caller validates it.
func (c *Config) SaveWebhook(w Webhook) error {
	return c.change(func(f *file) error {
		list := slices.DeleteFunc(slices.Clone(f.Webhooks), func(have Webhook) bool { return have.Name == w.Name })
		list = append(list, w)
		slices.SortFunc(list, func(a, b Webhook) int { return strings.Compare(a.Name, b.Name) })
		f.Webhooks = list
		return nil
	})
}

// DeleteWebhook removes a webhook and returns it.
func (c *Config) DeleteWebhook(name string) (w Webhook, err error) {
	err = c.change(func(f *file) error {
		i := f.findWebhook(name)
		if i < 0 {
			return fault.Invalid("name", fmt.Sprintf("there is no webhook %.60q", name), "the settings list them").
				OnCommandLine("`notify list` shows them")
		}
		w = f.Webhooks[i]
		f.Webhooks = slices.Delete(slices.Clone(f.Webhooks), i, i+1)
		return nil
	})
	return w, err
}

// RecordDelivery stores why the last delivery of a webhook failed; nil if it arrived.
func (c *Config) RecordDelivery(name string, failed *WebhookFailure) error {
	list := c.current().Webhooks
	i := slices.IndexFunc(list, func(w Webhook) bool { return w.Name == name })
	if i < 0 || failed == nil && list[i].Failed == nil {
		return nil
	}
	return c.change(func(f *file) error {
		if i := f.findWebhook(name); i >= 0 {
			f.Webhooks = slices.Clone(f.Webhooks)
			f.Webhooks[i].Failed = failed
		}
		return nil
	})
}

func (f *file) findWebhook(name string) int {
	return slices.IndexFunc(f.Webhooks, func(w Webhook) bool { return w.Name == name })
}
