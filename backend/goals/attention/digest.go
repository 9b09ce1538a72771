package attention

import (
	"context"
	"slices"
	"time"

	"goalpost/backend/host/notify"
	"goalpost/backend/host/webhook"
	"goalpost/backend/storage/config"
)

// DigestText is a digest in words; an empty title means that nothing happened.
type DigestText struct{ Title, Text string }

// digestTime knows from when on digests are due: what was due before the user chose a time is not sent.
type digestTime struct {
	setting string
	from    time.Time
}

// isDigestWanted reports whether a webhook receives a digest at some time of the day.
func (n *Notifier) isDigestWanted() bool {
	return n.Config.Settings().DigestAt != "" && slices.ContainsFunc(n.Config.Webhooks(), func(w config.Webhook) bool {
		return slices.Contains(w.Events, string(webhook.Digest))
	})
}

// sendDigest sends the digest of the last 24 hours if it is due, and returns when the next one is; zero if none is
// wanted. A time at which no program ran is made up for on the same day.
func (n *Notifier) sendDigest(ctx context.Context) (next time.Time) {
	dt := &n.digestTime
	setting := n.Config.Settings().DigestAt
	now := n.Clock.Now().Local()
	if setting != dt.setting {
		dt.setting, dt.from = setting, now
	}
	at, err := config.ParseDayTime(setting)
	if err != nil || !n.isDigestWanted() {
		return next
	}
	due, tomorrow := at.On(now), at.On(now.AddDate(0, 0, 1))
	switch {
	case due.After(now):
		return due
	case due.Before(dt.from):
		return tomorrow
	}
	isMine, err := n.Store.Digests.Claim(ctx, due)
	if err == nil && isMine {
		err = n.passDigest(ctx, due)
	}
	if err != nil {
		n.Log.Warn("the digest was not sent", "error", err)
	}
	return tomorrow
}

func (n *Notifier) passDigest(ctx context.Context, due time.Time) error {
	digest, err := n.Digest(ctx, due.AddDate(0, 0, -1))
	if err != nil || digest.Title == "" {
		return err
	}
	m := message{Notification: notify.Notification{Title: digest.Title, Text: digest.Text}, event: webhook.Digest, at: due}
	for _, one := range n.Config.Webhooks() {
		if slices.Contains(one.Events, string(webhook.Digest)) {
			n.Webhooks.deliver(one, n.outgoing(m))
		}
	}
	return nil
}

// firstDigest returns from when on digests are due at the start: those that were missed since the last one, unless
// there was never one.
func (n *Notifier) firstDigest(ctx context.Context) digestTime {
	dt := digestTime{setting: n.Config.Settings().DigestAt}
	if used, err := n.Store.Digests.IsUsed(ctx); err != nil || !used {
		dt.from = n.Clock.Now()
	}
	return dt
}
