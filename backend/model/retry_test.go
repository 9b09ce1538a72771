package model_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/model/modeltest"
)

// hourglass is a clock that passes as soon as somebody waits.
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

// faulty fails as often as it has errors.
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

func TestRetryBacksOffAndReports(t *testing.T) {
	m := &faulty{errs: []error{fault(model.Overloaded, 0), fault(model.Truncated, 0), fault(model.Unreachable, 0), nil}}
	clock := &hourglass{}
	var told []model.Kind
	r := model.Retry{Model: m, Clock: clock, OnWait: func(err error, d time.Duration) {
		if e, ok := model.AsError(err); ok {
			told = append(told, e.Kind)
		}
	}}
	m.errs = m.errs[:3]
	m.errs = append(m.errs, nil)
	if _, err := r.Turn(t.Context(), goal.Turn{}, nil); err != nil {
		t.Fatal(err)
	}
	if len(told) != 3 || told[1] != model.Truncated || m.tries != 4 {
		t.Errorf("told %v, %d tries", told, m.tries)
	}
	for i, w := range clock.waits {
		if least := time.Second << i; w < least || w > least*3/2 {
			t.Errorf("wait %d is %s", i, w)
		}
	}
}

func TestRetryKeepsToItsBudget(t *testing.T) {
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
	for _, w := range clock.waits {
		if w < 2*time.Minute {
			t.Errorf("waited %s, less than asked", w)
		}
	}
	m, clock = &faulty{errs: []error{fault(model.RateLimited, time.Hour)}}, &hourglass{}
	if _, err = (model.Retry{Model: m, Clock: clock}).Turn(t.Context(), goal.Turn{}, nil); err == nil || m.tries != 1 || len(clock.waits) != 0 {
		t.Errorf("a wait beyond the budget was begun: %v", clock.waits)
	}
}

func TestRetryLeavesTheRestAlone(t *testing.T) {
	for _, err := range []error{fault(model.Auth, 0), fault(model.BadRequest, 0), fault(model.Garbage, 0), fault(model.Refused, 0), errors.New("else")} {
		m, clock := &faulty{errs: []error{err}}, &hourglass{}
		if _, got := (model.Retry{Model: m, Clock: clock}).Turn(t.Context(), goal.Turn{}, nil); !errors.Is(got, err) || m.tries != 1 {
			t.Errorf("%v: %d tries", got, m.tries)
		}
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := &faulty{errs: []error{fault(model.Overloaded, time.Minute)}}
	r := model.Retry{Model: m, OnWait: func(error, time.Duration) { cancel() }} // the real clock: a minute would be seen
	if _, err := r.Turn(ctx, goal.Turn{}, nil); !errors.Is(err, context.Canceled) || m.tries != 1 {
		t.Errorf("%d tries, %v", m.tries, err)
	}
}

func TestRetryThroughARealServer(t *testing.T) {
	limited := modeltest.Fail(http.StatusTooManyRequests, "slow down")
	limited.RetryAfter = "3"
	s := modeltest.New(t, func(n int, _ modeltest.Request) modeltest.Answer {
		return []modeltest.Answer{limited, {Text: "a text that breaks", CutAfter: 2}, modeltest.Fail(503, "busy"), modeltest.Say("whole")}[n]
	})
	clock := &hourglass{}
	r, err := model.Retry{Model: client(t, s.URL), Clock: clock}.Turn(t.Context(), turn(), nil)
	if err != nil || r.Text != "whole" || len(clock.waits) != 3 || clock.waits[0] < 3*time.Second {
		t.Errorf("reply %+v, %v, waits %v", r, err, clock.waits)
	}
}

func TestServerThatNeverAnswersIsUnreachable(t *testing.T) {
	never := make(chan struct{})
	s := modeltest.New(t, func(n int, _ modeltest.Request) modeltest.Answer {
		if n == 0 {
			return modeltest.Answer{Wait: never}
		}
		return modeltest.Say("awake")
	})
	var told error
	r := model.Retry{Model: client(t, s.URL), Clock: &hourglass{}, TurnTimeout: 500 * time.Millisecond, OnWait: func(err error, _ time.Duration) { told = err }}
	reply, err := r.Turn(t.Context(), turn(), nil)
	if err != nil || reply.Text != "awake" {
		t.Errorf("reply %+v, %v", reply, err)
	}
	if e, ok := model.AsError(told); !ok || e.Kind != model.Unreachable || !strings.Contains(e.Message, "no whole reply within") {
		t.Errorf("told %v", told)
	}
}
