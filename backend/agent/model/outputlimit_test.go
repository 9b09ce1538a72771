package model_test

import (
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// boundedTurn returns a turn that needs at most 1,000 tokens of reply.
func boundedTurn(name string) goal.Turn {
	t := turn()
	t.Model, t.ReplyTokens = name, 1000
	return t
}

// TestOutputLimit_BoundedReply_IsSent: the limit includes thinking, unless the model is known not to think.
func TestOutputLimit_BoundedReply_IsSent(t *testing.T) {
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		s := modeltest.New(t, one(modeltest.Say("YES")))
		c := dial(s.URL)
		for i, want := range []struct {
			model string
			limit int
		}{
			{"a-model-that-nobody-knows", 17_000},
			{"gpt-5", 17_000},
			{"gpt-4o", 1_000},
		} {
			if _, err := c.Turn(t.Context(), boundedTurn(want.model), nil); err != nil {
				t.Fatal(err)
			}
			if got := outputLimit(t, s.Requests()[i]); got != want.limit {
				t.Errorf("%s: a limit of %d, want %d", want.model, got, want.limit)
			}
		}
		if _, err := c.Turn(t.Context(), turn(), nil); err != nil {
			t.Fatal(err)
		}
		if got := outputLimit(t, s.Requests()[3]); protocol != "anthropic" && got != 0 || got == 17_000 {
			t.Errorf("a turn of the agent has a limit of %d", got)
		}
	})
}

// TestOutputLimit_BoundedReply_UsedUpByThinking_IsRaised: the next bounded turn is not cut off again.
func TestOutputLimit_BoundedReply_UsedUpByThinking_IsRaised(t *testing.T) {
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
			if outputLimit(t, r) > 17_000 {
				return modeltest.Answer{Text: "YES", Usage: goal.Usage{TokensIn: 10, TokensOut: 20_000}}
			}
			stop := map[string]string{"openai": "length", "responses": "length", "anthropic": "max_tokens"}[protocol]
			return modeltest.Answer{Thinking: "hm", Stop: stop, Usage: goal.Usage{TokensIn: 10, TokensOut: 17_000}}
		})
		c := dial(s.URL)
		r, err := c.Turn(t.Context(), boundedTurn("small"), nil)
		if err != nil || r.Text != "YES" || r.Usage.TokensOut != 37_000 {
			t.Fatalf("%+v, %v", r, err)
		}
		if r, err = c.Turn(t.Context(), boundedTurn("small"), nil); err != nil || r.Text != "YES" {
			t.Fatalf("%+v, %v", r, err)
		}
		if n := len(s.Requests()); n != 3 {
			t.Errorf("%d requests, want 3: what a model needs is remembered", n)
		}
	})
}

// TestOutputLimit_ServerRefusesBound_IsLeftOut checks servers that do not know the field, that allow less output, or
// whose window is too small for the request and the output together.
func TestOutputLimit_ServerRefusesBound_IsLeftOut(t *testing.T) {
	for name, words := range map[string]string{
		"unknown field": "Unsupported parameter: 'max_tokens' is not supported with this model.",
		"too large":     "max_tokens must be at most 8192",
		"small window": "'max_tokens' or 'max_completion_tokens' is too large: 17000. This model's maximum context " +
			"length is 16384 tokens and your request has 5000 input tokens",
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
				if outputLimit(t, r) > 0 {
					return modeltest.Fail(400, words)
				}
				return modeltest.Say("YES")
			})
			c := client(t, s.URL)
			for range 2 {
				if r, err := c.Turn(t.Context(), boundedTurn("small"), nil); err != nil || r.Text != "YES" {
					t.Fatalf("%+v, %v", r, err)
				}
			}
			if n := len(s.Requests()); n != 3 {
				t.Errorf("%d requests, want 3: the refusal is remembered", n)
			}
		})
	}
}
