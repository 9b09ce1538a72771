package model_test

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// noon is the time at which the providers of these tests answer.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestRetryAfter_EveryProvidersForm_IsRead: the most explicit source that names a time in the future decides.
func TestRetryAfter_EveryProvidersForm_IsRead(t *testing.T) {
	in := func(d time.Duration) time.Time { return noon.Add(d) }
	sent := func(name, value string) map[string]string { return map[string]string{name: value} }
	for name, test := range map[string]struct {
		header map[string]string
		says   string
		status int // 0 means 429
		want   time.Duration
	}{
		"seconds":            {header: sent("Retry-After", "7"), want: 7 * time.Second},
		"half a second":      {header: sent("Retry-After", "0.5"), want: 500 * time.Millisecond},
		"negative":           {header: sent("Retry-After", "-3")},
		"a word":             {header: sent("Retry-After", "soon")},
		"not a number":       {header: sent("Retry-After", "NaN")},
		"for ever":           {header: sent("Retry-After", "1e30"), want: 24 * time.Hour},
		"a date":             {header: sent("Retry-After", in(time.Minute).Format(http.TimeFormat)), want: time.Minute},
		"a date in the past": {header: sent("Retry-After", in(-time.Hour).Format(http.TimeFormat))},
		"milliseconds":       {header: sent("Retry-After-Ms", "1500"), want: 1500 * time.Millisecond},
		"milliseconds first": {
			header: map[string]string{"Retry-After-Ms": "250", "Retry-After": "9"},
			want:   250 * time.Millisecond,
		},
		"overloaded": {header: sent("Retry-After", "5"), status: 503, want: 5 * time.Second},
		"the header before the words": {
			header: sent("Retry-After", "5"), says: "Please try again in 6.2s.", want: 5 * time.Second,
		},
		"words": {
			says: "Rate limit reached: Limit 30000, Used 29000. Please try again in 6.2s. Visit https://x/limits",
			want: 6200 * time.Millisecond,
		},
		"words, milliseconds":  {says: "Please try again in 450ms.", want: 450 * time.Millisecond},
		"words, minutes":       {says: "Please try again in 7m12.5s.", want: 7*time.Minute + 12500*time.Millisecond},
		"words, whole":         {says: "Please retry your request after 20 seconds.", want: 20 * time.Second},
		"words, two units":     {says: "Wait about 1 minute and 30 seconds.", want: 90 * time.Second},
		"words, hours":         {says: "Your quota will reset after 1h2m", want: 62 * time.Minute},
		"words, months":        {says: "Try again in 5 months."},
		"words, no wait":       {says: "You sent 30 s of audio again. Limit: 5 minutes."},
		"words, another error": {says: "Try again in 6.2s.", status: 500},
		"OpenAI": {
			header: map[string]string{
				"X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "6.2s",
				"X-Ratelimit-Remaining-Requests": "59", "X-Ratelimit-Reset-Requests": "6m0s",
			},
			want: 6200 * time.Millisecond,
		},
		"nothing used up": {
			header: map[string]string{"X-Ratelimit-Reset-Tokens": "1m30.5s", "X-Ratelimit-Reset-Requests": "250ms"},
			want:   90500 * time.Millisecond,
		},
		"the words before the limits": {
			header: sent("X-Ratelimit-Reset-Tokens", "6m0s"), says: "Please try again in 2s.",
			want: 2 * time.Second,
		},
		"Anthropic": {
			header: map[string]string{
				"Anthropic-Ratelimit-Requests-Remaining": "4", "Anthropic-Ratelimit-Requests-Reset": "2026-03-01T13:00:00Z",
				"Anthropic-Ratelimit-Tokens-Remaining": "0", "Anthropic-Ratelimit-Tokens-Reset": "2026-03-01T12:00:40Z",
			},
			want: 40 * time.Second,
		},
		"Azure":                   {header: sent("X-Ratelimit-Reset-Tokens", "53"), want: 53 * time.Second},
		"Mistral":                 {header: sent("Ratelimitbysize-Reset", "32"), want: 32 * time.Second},
		"GitHub":                  {header: sent("X-Ratelimit-Reset", epoch(in(time.Minute))), want: time.Minute},
		"milliseconds since 1970": {header: sent("X-Ratelimit-Reset", epoch(in(time.Minute))+"000"), want: time.Minute},
		"an overloaded server's limits": {
			header: sent("X-Ratelimit-Reset-Tokens", "6m0s"), status: 500,
		},
		"another reset": {header: sent("X-Factory-Reset", "5s")},
	} {
		t.Run(name, func(t *testing.T) {
			if test.status == 0 {
				test.status = http.StatusTooManyRequests
			}
			a := modeltest.Fail(test.status, test.says)
			a.Header = test.header
			s := modeltest.New(t, one(a))
			c, err := model.NewOpenAI(model.Options{BaseURL: s.URL, Model: "small", Clock: &hourglass{now: noon}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			_, err = c.Turn(t.Context(), turn(), nil)
			if e, ok := model.AsError(err); !ok || e.RetryAfter != test.want || e.Status != test.status {
				t.Errorf("%v after %v, want %v", err, e.RetryAfter, test.want)
			}
		})
	}
}

func epoch(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// TestRetryAfter_InAnyProtocol_IsRead also reads the headers that OpenRouter repeats, and the words of a stream.
func TestRetryAfter_InAnyProtocol_IsRead(t *testing.T) {
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		for name, a := range map[string]modeltest.Answer{
			"header": {Status: 429, Header: map[string]string{"X-Ratelimit-Reset-Tokens": "6.2s"}},
			"OpenRouter": {Status: 429, Body: `{"error":{"code":429,"message":"free-models-per-min",` +
				`"metadata":{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"6.2s"}}}}`},
			"subscription": {Status: 429, Body: `{"error":{"type":"usage_limit_reached","message":"The usage limit has been ` +
				`reached","code":"insufficient_quota","plan_type":"plus","resets_in_seconds":6.2}}`},
			"detail": {Status: 429, Body: `{"detail":{"message":"The usage limit has been reached","resets_at":"6.2s"}}`},
			"field":  {Status: 429, Body: `{"message":"too many requests","retry_after":6.2}`},
			"stream": {Raw: `data: {"type":"error","error":{"type":"rate_limit_error","message":"Try again in 6.2s"}}` + "\n\n"},
		} {
			s := modeltest.New(t, one(a))
			_, err := dial(s.URL).Turn(t.Context(), turn(), nil)
			if e, ok := model.AsError(err); !ok || e.Kind != model.RateLimited || e.RetryAfter != 6200*time.Millisecond {
				t.Errorf("%s, %s: %v", protocol, name, err)
			}
		}
	})
}

// TestShouldRetry_ProviderDecides: the provider decides about another attempt, not about waiting.
func TestShouldRetry_ProviderDecides(t *testing.T) {
	for name, test := range map[string]struct {
		status   int
		header   map[string]string
		tries    int
		isParked bool
	}{
		"429, no":            {429, map[string]string{"X-Should-Retry": "false"}, 1, true},
		"500, no":            {500, map[string]string{"X-Should-Retry": "false"}, 1, true},
		"429, no, with time": {429, map[string]string{"X-Should-Retry": "false", "Retry-After": "9"}, 1, true},
		"400, yes":           {400, map[string]string{"X-Should-Retry": "true"}, 3, false},
		"413, yes":           {413, map[string]string{"X-Should-Retry": "true"}, 1, false}, // the same turn stays too long
		"429, no decision":   {429, map[string]string{"X-Should-Retry": "perhaps"}, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := modeltest.Fail(test.status, "no")
			a.Header = test.header
			s := modeltest.New(t, one(a))
			_, err := model.Retry{
				Model:  client(t, s.URL),
				Clock:  &hourglass{now: noon},
				Budget: model.Budget{Tries: 3},
			}.Turn(t.Context(), turn(), nil)
			var away *goal.Unavailable
			if n := len(s.Requests()); n != test.tries || err == nil || errors.As(err, &away) != test.isParked {
				t.Errorf("%d tries, parked %v: %v", n, away, err)
			}
		})
	}
}
