package model_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// hourglass is a clock whose waits end at once.
type hourglass struct {
	now   time.Time
	waits []time.Duration
}

func (h *hourglass) Now() time.Time { return h.now }

func (h *hourglass) After(d time.Duration) <-chan time.Time {
	h.now = h.now.Add(d)
	h.waits = append(h.waits, d)
	c := make(chan time.Time, 1)
	c <- h.now
	return c
}

// faulty returns its errors one after the other, and then a reply.
type faulty struct {
	errs  []error
	tries int
}

func (f *faulty) Turn(ctx context.Context, _ goal.Turn, _ func(string)) (goal.Reply, error) {
	f.tries++
	if len(f.errs) == 0 {
		return goal.Reply{Text: "done"}, ctx.Err()
	}
	err := f.errs[0]
	if len(f.errs) > 1 || err == nil {
		f.errs = f.errs[1:]
	}
	return goal.Reply{}, err
}

func fault(k model.Kind, after time.Duration) error {
	return &model.Error{Kind: k, Message: string(k), RetryAfter: after}
}

func TestRetry_TransientErrors_BacksOffAndReports(t *testing.T) {
	m := &faulty{errs: []error{fault(model.Overloaded, 0), fault(model.Truncated, 0), fault(model.Unreachable, 0), nil}}
	clock := &hourglass{}
	var reported []model.Kind
	r := model.Retry{Model: m, Clock: clock, OnWait: func(err error, d time.Duration) {
		if e, ok := model.AsError(err); ok {
			reported = append(reported, e.Kind)
		}
	}}
	m.errs = m.errs[:3]
	m.errs = append(m.errs, nil)
	if _, err := r.Turn(t.Context(), goal.Turn{}, nil); err != nil {
		t.Fatal(err)
	}
	if len(reported) != 3 || reported[1] != model.Truncated || m.tries != 4 {
		t.Errorf("reported %v, %d tries", reported, m.tries)
	}
	for i, w := range clock.waits {
		if least := time.Second << i; w < least || w > least*3/2 {
			t.Errorf("wait %d is %s", i, w)
		}
	}
}

func TestRetry_BudgetUsedUp_GivesUp(t *testing.T) {
	m, clock := &faulty{errs: []error{fault(model.Overloaded, 0)}}, &hourglass{}
	_, err := model.Retry{Model: m, Clock: clock}.Turn(t.Context(), goal.Turn{}, nil)
	if m.tries != 6 || err == nil || !strings.Contains(err.Error(), "after 6 tries") {
		t.Errorf("%d tries, %v", m.tries, err)
	}
	m, clock = &faulty{errs: []error{fault(model.RateLimited, 2*time.Minute)}}, &hourglass{}
	_, err = model.Retry{Model: m, Clock: clock}.Turn(t.Context(), goal.Turn{}, nil)
	if e, ok := model.AsError(err); !ok || e.RetryAfter != 2*time.Minute || m.tries != 3 {
		t.Errorf("%d tries, %v", m.tries, err)
	}
	var away *goal.Unavailable
	if !errors.As(err, &away) || away.Until.Sub(clock.now) != 2*time.Minute {
		t.Errorf("away %+v", away)
	}
	for _, w := range clock.waits {
		if w < 2*time.Minute {
			t.Errorf("waited %s, less than asked", w)
		}
	}
}

func TestRetry_PermanentError_IsReturned(t *testing.T) {
	for _, err := range []error{
		fault(model.Auth, 0), fault(model.BadRequest, 0), fault(model.Untrusted, 0),
		fault(model.Refused, 0), fault(model.TooLong, 0), errors.New("else"),
	} {
		m, clock := &faulty{errs: []error{err}}, &hourglass{}
		if _, got := (model.Retry{Model: m, Clock: clock}).Turn(t.Context(), goal.Turn{}, nil); !errors.Is(got, err) ||
			m.tries != 1 {
			t.Errorf("%v: %d tries", got, m.tries)
		}
	}
}

func TestRetry_ContextCancelled_Ends(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := &faulty{errs: []error{fault(model.Overloaded, time.Minute)}}
	r := model.Retry{Model: m, OnWait: func(error, time.Duration) { cancel() }} // real waits would take a minute
	if _, err := r.Turn(ctx, goal.Turn{}, nil); !errors.Is(err, context.Canceled) || m.tries != 1 {
		t.Errorf("%d tries, %v", m.tries, err)
	}
}

func TestRetry_RealServerRecovers_Succeeds(t *testing.T) {
	limited := modeltest.Fail(http.StatusTooManyRequests, "slow down")
	limited.RetryAfter = "3"
	s := modeltest.New(t, func(n int, _ modeltest.Request) modeltest.Answer {
		return []modeltest.Answer{
			limited,
			{Text: "a text that breaks", CutAfter: 2},
			modeltest.Fail(503, "busy"),
			modeltest.Say("whole"),
		}[n]
	})
	clock := &hourglass{}
	r, err := model.Retry{Model: client(t, s.URL), Clock: clock}.Turn(t.Context(), turn(), nil)
	if err != nil || r.Text != "whole" || len(clock.waits) != 3 || clock.waits[0] < 3*time.Second {
		t.Errorf("reply %+v, %v, waits %v", r, err, clock.waits)
	}
}

// TestRetry_ProviderNamesTime_ParksUntilThen: a wait beyond the budget is not started.
func TestRetry_ProviderNamesTime_ParksUntilThen(t *testing.T) {
	for _, k := range []model.Kind{model.RateLimited, model.Overloaded} {
		m, clock := &faulty{errs: []error{fault(k, time.Hour)}}, &hourglass{}
		_, err := model.Retry{Model: m, Clock: clock}.Turn(t.Context(), goal.Turn{}, nil)
		var away *goal.Unavailable
		if !errors.As(err, &away) || !away.Until.Equal(clock.now.Add(time.Hour)) || m.tries != 1 || len(clock.waits) != 0 {
			t.Errorf("%s: %v after %d tries and %v", k, err, m.tries, clock.waits)
		}
		if e, ok := model.AsError(err); !ok || e.Kind != k {
			t.Errorf("%s is lost in %v", k, err)
		}
	}
}

// TestRetry_ModelStaysAway_ParksLongerEachTime: the intervals grow up to half an hour for a busy provider, and up to
// five minutes for one that cannot be reached; the goal never ends. Only the first turn is retried with warnings. A
// reply resets the count.
func TestRetry_ModelStaysAway_ParksLongerEachTime(t *testing.T) {
	const half = 30 * time.Second
	for kind, want := range map[model.Kind][]time.Duration{
		model.Overloaded:  {half, 2 * half, 4 * half, 8 * half, 16 * half, 32 * half, 60 * half, 60 * half},
		model.Unreachable: {half, 2 * half, 4 * half, 8 * half, 10 * half, 10 * half},
	} {
		m, clock := &faulty{errs: []error{fault(kind, 0)}}, &hourglass{}
		parks, warned := &model.ParkCounter{}, 0
		retry := func() (time.Duration, error) { // each is a new run
			_, err := model.Retry{
				Model: m, Clock: clock, Parks: parks, OnWait: func(error, time.Duration) { warned++ },
			}.Turn(t.Context(), goal.Turn{}, nil)
			var away *goal.Unavailable
			if errors.As(err, &away) {
				return away.Until.Sub(clock.now), err
			}
			return 0, err
		}
		for n, want := range want {
			if got, err := retry(); got != want || !strings.Contains(err.Error(), "tries") {
				t.Errorf("%s: park %d for %s, want %s: %v", kind, n, got, want, err)
			}
		}
		if tries := 6 + 3*(len(want)-1); warned != 5 || m.tries != tries {
			t.Errorf("%s: %d warnings, %d tries, want %d", kind, warned, m.tries, tries)
		}
		m.errs = []error{nil, fault(kind, 0)}
		if _, err := retry(); err != nil {
			t.Fatal(err)
		}
		if got, err := retry(); got != half {
			t.Errorf("after a reply it is parked for %s: %v", got, err)
		}
	}
}

// TestRetry_EachKind_HasItsRemedy: what can pass parks the goal; otherwise the error is returned.
func TestRetry_EachKind_HasItsRemedy(t *testing.T) {
	for remedy, kinds := range map[model.Remedy][]model.Kind{
		model.Wait: {
			model.Unreachable, model.RateLimited, model.Overloaded, model.Truncated, model.InvalidReply,
		},
		model.AskUser:    {model.Auth, model.Refused, model.BadRequest, model.Untrusted},
		model.ChangeTurn: {model.TooLong, model.NoVision, model.Mistaken},
	} {
		for _, k := range kinds {
			_, err := model.Retry{
				Model: &faulty{errs: []error{fault(k, 0)}},
				Clock: &hourglass{},
			}.Turn(t.Context(), goal.Turn{}, nil)
			var away *goal.Unavailable
			e, ok := model.AsError(err)
			if !ok || e.Kind != k || e.Remedy() != remedy || errors.As(err, &away) != (remedy == model.Wait) {
				t.Errorf("%s: %v", k, err)
			}
			if errors.Is(err, goal.ErrContextTooLong) != (k == model.TooLong) {
				t.Errorf("%s is too long: %v", k, err)
			}
		}
	}
}
