package attention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/webhook"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// maxWaiting is how many messages wait for one webhook, while it does not answer.
const maxWaiting = 50

// Webhooks are the user's webhooks: what they are, and what is delivered to them. The address of each is a secret of
// the vault. All methods may be called concurrently.
type Webhooks struct {
	cfg    *config.Config
	vault  *secret.Vault
	mask   *secret.Mask
	log    *slog.Logger
	clock  runner.Clock
	sender *webhook.Sender

	mu      sync.Mutex
	removed map[string]removedWebhook
	queues  map[string]*queue
	work    sync.WaitGroup

	ctx  context.Context // of deliveries
	stop context.CancelFunc
}

// removedWebhook is what Restore needs.
type removedWebhook struct {
	config.Webhook

	address string
}

// queue has the messages that wait for one webhook. A queue exists while they are delivered, one after the other.
type queue struct{ waiting []webhook.Message }

// NewWebhooks makes the webhooks of a data folder.
func NewWebhooks(
	c *config.Config, v *secret.Vault, m *secret.Mask, log *slog.Logger, clock runner.Clock,
) *Webhooks {
	w := &Webhooks{
		cfg: c, vault: v, mask: m, log: log, clock: clock, sender: webhook.NewSender(clock),
		removed: map[string]removedWebhook{}, queues: map[string]*queue{},
	}
	w.ctx, w.stop = context.WithCancel(context.Background())
	return w
}

// Close ends the deliveries. What waits is not sent: a later process sends nothing old.
func (w *Webhooks) Close() {
	w.stop()
	w.work.Wait()
}

// webhookSecret is the name of the secret with the address of a webhook.
func webhookSecret(name string) string { return "webhook-" + name }

// List lists the webhooks by name.
func (w *Webhooks) List() []api.Webhook {
	list := []api.Webhook{}
	for _, one := range w.cfg.Webhooks() {
		v := api.Webhook{Name: one.Name, Form: one.Form, Events: one.Events, PlainHTTP: one.PlainHTTP}
		if meta, err := w.vault.Find(webhookSecret(one.Name)); err == nil && len(meta.Hosts) > 0 {
			v.Host = meta.Hosts[0]
		}
		if one.Failed != nil {
			v.FailedAt, v.Failure = one.Failed.At.Format(time.RFC3339), one.Failed.Message
		}
		list = append(list, v)
	}
	return list
}

var webhookNameForm = text.NewPattern(`^[A-Za-z][A-Za-z0-9_.-]{0,39}$`)

// Save adds a webhook, or changes the one with its name. The address goes to the secrets.
func (w *Webhooks) Save(ctx context.Context, in api.ArgsSaveWebhook) error {
	if err := validateWebhook(in); err != nil {
		return err
	}
	address := in.URL
	if address == "" {
		var err error
		if address, err = w.address(ctx, in.Name); err != nil {
			return err
		}
	}
	target := webhook.Target{Form: webhook.Form(in.Form), URL: address, PlainHTTP: in.PlainHTTP}
	if err := target.Validate(); err != nil {
		return err
	}
	if in.URL != "" {
		hosts := []string{target.Host()}
		if strings.Contains(hosts[0], ":") { // the vault knows no IPv6 addresses
			hosts = nil
		}
		if _, err := w.vault.Set(ctx, webhookSecret(in.Name), address, hosts); err != nil {
			return fmt.Errorf("the address of the webhook %s: %w", in.Name, err)
		}
	}
	return w.cfg.SaveWebhook(config.Webhook{
		Name: in.Name, Form: in.Form, Events: in.Events, PlainHTTP: in.PlainHTTP,
	})
}

func validateWebhook(in api.ArgsSaveWebhook) error {
	if !webhookNameForm.MatchString(in.Name) {
		return fault.Invalid("name", fmt.Sprintf("%.60q is not a valid name of a webhook", in.Name),
			"use a letter, then letters, digits, dots, dashes and underscores, 40 at most")
	}
	for i, e := range in.Events {
		if !slices.Contains(webhook.Events, webhook.Event(e)) || slices.Contains(in.Events[:i], e) {
			return fault.Invalid("events", fmt.Sprintf("%.40q is not an event of a webhook, or is there twice", e),
				"use needs_you, ended and digest")
		}
	}
	if len(in.Events) == 0 {
		return fault.Invalid("events", "no event is chosen, so nothing would be sent", "choose one at least")
	}
	return nil
}

// address reads the address of a webhook, which the mask knows from then on.
func (w *Webhooks) address(ctx context.Context, name string) (string, error) {
	address, err := w.vault.Get(ctx, webhookSecret(name))
	if errors.Is(err, secret.ErrUnknown) {
		return "", fault.Invalid("url", fmt.Sprintf("no address is stored for the webhook %s", name),
			"enter the address that the service shows")
	}
	return address, err
}

// Delete removes a webhook and its address. While this process runs, Restore puts both back.
func (w *Webhooks) Delete(ctx context.Context, name string) error {
	address, err := w.address(ctx, name)
	if err != nil {
		address = "" // there is none to put back
	}
	gone, err := w.cfg.DeleteWebhook(name)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.removed[name] = removedWebhook{gone, address}
	w.mu.Unlock()
	if err := w.vault.Remove(ctx, webhookSecret(name)); err != nil && !errors.Is(err, secret.ErrUnknown) {
		return fmt.Errorf("the address of the webhook %s: %w", name, err)
	}
	return nil
}

// Restore puts a webhook back that was removed.
func (w *Webhooks) Restore(ctx context.Context, name string) error {
	w.mu.Lock()
	gone, ok := w.removed[name]
	delete(w.removed, name)
	w.mu.Unlock()
	if !ok || gone.address == "" {
		return fault.New(fault.NotFound, "this webhook cannot be put back: its address is no longer known", "add it again")
	}
	return w.Save(ctx, api.ArgsSaveWebhook{
		Name: name, Form: gone.Form, Events: gone.Events, PlainHTTP: gone.PlainHTTP, URL: gone.address,
	})
}

// Test sends a message to one webhook, once. It records whether that arrived.
func (w *Webhooks) Test(ctx context.Context, name string) (api.WebhookTest, error) {
	list := w.cfg.Webhooks()
	i := slices.IndexFunc(list, func(one config.Webhook) bool { return one.Name == name })
	if i < 0 {
		return api.WebhookTest{}, fault.Invalid("name", fmt.Sprintf("there is no webhook %.60q", name), "add it first")
	}
	m := webhook.Message{
		Event: webhook.Test, Title: "Goalpost reaches you here", Text: "This is a test of the webhook " + name + ".",
		At: w.clock.Now(), Link: w.link(""),
	}
	a := w.try(ctx, list[i], m, w.sender.Try)
	return api.WebhookTest{Status: a.Status, ElapsedMS: a.Elapsed.Milliseconds()}, a.Err
}

// try sends a message with Try or Send, and records the outcome.
func (w *Webhooks) try(
	ctx context.Context, one config.Webhook, m webhook.Message,
	send func(context.Context, webhook.Target, webhook.Message) webhook.Attempt,
) (a webhook.Attempt) {
	address, err := w.address(ctx, one.Name)
	if a.Err = err; err == nil {
		target := webhook.Target{Form: webhook.Form(one.Form), URL: address, PlainHTTP: one.PlainHTTP}
		a = send(ctx, target, m)
	}
	if ctx.Err() != nil { // Goalpost ends
		return a
	}
	var failed *config.WebhookFailure
	if a.Err != nil {
		problem := api.ToProblem(a.Err)
		problem.Message = w.mask.Text(problem.Message)
		a.Err = problem
		failed = &config.WebhookFailure{At: w.clock.Now().UTC(), Message: problem.Message}
		w.log.Warn("a message did not reach a webhook", "webhook", one.Name, "event", m.Event, "error", problem.Message)
	}
	if err := w.cfg.RecordDelivery(one.Name, failed); err != nil {
		w.log.Warn("the outcome of a delivery was not stored", "webhook", one.Name, "error", err)
	}
	return a
}

// deliver sends a message to a webhook, without waiting for it.
func (w *Webhooks) deliver(one config.Webhook, m webhook.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q := w.queues[one.Name]; q != nil {
		q.waiting = append(q.waiting, m)
		if len(q.waiting) > maxWaiting {
			q.waiting = q.waiting[1:]
			w.log.Warn("too many messages wait for a webhook: the oldest one is not sent", "webhook", one.Name)
		}
		return
	}
	w.queues[one.Name] = &queue{waiting: []webhook.Message{m}}
	w.work.Go(func() {
		for {
			m, ok := w.next(one.Name)
			if !ok {
				return
			}
			if w.ctx.Err() == nil {
				w.try(w.ctx, one, m, w.sender.Send)
			}
		}
	})
}

// next takes the oldest message of a queue. The queue ends with its last one.
func (w *Webhooks) next(name string) (m webhook.Message, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.queues[name]
	if len(q.waiting) == 0 {
		delete(w.queues, name)
		return m, false
	}
	m, q.waiting = q.waiting[0], q.waiting[1:]
	return m, true
}

// link returns the address of a goal in the page, "" if the user has not named the page's.
func (w *Webhooks) link(goalID string) string {
	base := w.cfg.Settings().LinkAddress
	if base == "" || goalID == "" {
		return base
	}
	return base + "?goal=" + goalID
}
