package calls

import (
	"context"

	"goalpost/backend/goals/api"
	"goalpost/backend/goals/attention"
)

// WebhookAPI manages the webhooks, which receive notifications. No call returns an address.
type WebhookAPI struct {
	webhooks *attention.Webhooks
	apiBase
}

// NewWebhookAPI makes the API; ctx is the program's life.
func NewWebhookAPI(ctx context.Context, w *attention.Webhooks) *WebhookAPI {
	return &WebhookAPI{w, apiBase{ctx}}
}

// List lists the webhooks by name.
func (w *WebhookAPI) List() (out []api.Webhook, err error) {
	defer w.recoverProblem(&err)
	return w.webhooks.List(), nil
}

// Save adds a webhook, or changes the one with its name.
func (w *WebhookAPI) Save(in api.ArgsSaveWebhook) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.webhooks.Save(w.ctx, in)
}

// Delete removes a webhook and its address.
func (w *WebhookAPI) Delete(name string) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.webhooks.Delete(w.ctx, name)
}

// Restore puts back a webhook that this process removed.
func (w *WebhookAPI) Restore(name string) (ok bool, err error) {
	defer w.recoverProblem(&err)
	return true, w.webhooks.Restore(w.ctx, name)
}

// Test sends a message to a webhook.
func (w *WebhookAPI) Test(name string) (out api.WebhookTest, err error) {
	defer w.recoverProblem(&err)
	return w.webhooks.Test(w.ctx, name)
}
