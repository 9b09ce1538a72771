package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// listener is a session that records what the critic and the judge receive.
type listener struct {
	runner.Session
	agent  runner.Model
	critic *script
	shown  *strings.Builder
}

func (l listener) Models() runner.Models {
	return runner.Models{
		Agent:       l.agent,
		Critic:      l.critic,
		CriticModel: "critic",
	}
}

func (l listener) Judge() runner.Verifier { return judgeListener{l.Session.Judge(), l.shown} }

// judgeListener records what the judge and the reviewer receive.
type judgeListener struct {
	runner.Verifier
	shown *strings.Builder
}

func (j judgeListener) DecideClaim(
	ctx context.Context, g goal.Goal, c goal.Claim, report func(goal.Verdict) error,
) (goal.VerificationResult, error) {
	fmt.Fprintf(j.shown, "%+v %+v\n", g, c)
	return j.Verifier.DecideClaim(ctx, g, c, report)
}

func (j judgeListener) Review(ctx context.Context, g goal.Goal, c goal.Claim, v []goal.Verdict) (goal.Review, error) {
	fmt.Fprintf(j.shown, "%+v %+v %+v\n", g, c, v)
	return goal.Review{Confirmed: true, Reason: "right"}, nil
}

// thinkingServer answers like DeepSeek: it refuses a conversation in which a call lacks its reasoning. calls are the
// calls of its replies, each as "name {json}".
func thinkingServer(t *testing.T, calls ...string) *modeltest.Server {
	return modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
		var body struct {
			Messages []struct {
				Calls     []json.RawMessage `json:"tool_calls"`
				Reasoning string            `json:"reasoning_content"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Error(err)
		}
		nth := 0
		for _, m := range body.Messages {
			if len(m.Calls) == 0 {
				continue
			}
			if want := fmt.Sprintf("secret thought %d", nth); m.Reasoning != want {
				return modeltest.Fail(400, "The `reasoning_content` in the thinking mode must be passed back to the API: "+want)
			}
			nth++
		}
		name, args, _ := strings.Cut(calls[min(n, len(calls)-1)], " ")
		return modeltest.Answer{Raw: fmt.Sprintf(`data: {"choices":[{"delta":{"reasoning_content":"secret thought %d"}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c%d","function":{"name":%q,"arguments":%q}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`, n, n, name, args)}
	})
}

// TestReasoning_OverARestart_GoesBackToItsModelAlone: the reasoning is read from the journal and sent to the agent's
// model. Critic, judge and reviewer never see it.
func TestReasoning_OverARestart_GoesBackToItsModelAlone(t *testing.T) {
	s := thinkingServer(t, `write_file {"path":"done.txt","content":"x"}`, `ask_user {"question":"Shall I?"}`,
		`write_file {"path":"other.txt","content":"y"}`, pendingClaim)
	dial := func() *model.OpenAI {
		c, err := model.NewOpenAI(model.Options{BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	client := dial()
	w := newWorld(t, func(ctx context.Context, in goal.Turn) (goal.Reply, error) {
		reply, err := client.Turn(ctx, in, nil)
		reply.Usage = goal.Usage{TokensIn: 100_000} // enough tokens for the critic's share
		return reply, err
	})
	critic := &script{turns: []func(context.Context, goal.Turn) (goal.Reply, error){says("PROGRESSING\nit does")}}
	shown := &strings.Builder{}
	w.runner = runner.New(runner.Config{
		Store: storeOf(w.store),
		Open: func(ctx context.Context, g goal.Goal, id goal.Run, say func(string, string)) (runner.Session, error) {
			opened, err := w.open(ctx, g, id, say)
			if err != nil {
				return nil, err
			}
			return listener{opened, w.model, critic, shown}, nil
		},
		Publish: w.hear,
		Clock:   w.clock,
		Log:     slog.New(slog.DiscardHandler),
		Slots:   1,
	})
	g, row := w.run(func(g *goal.Goal) { g.Options.CriticEvery, g.Options.Review = 1, goal.ReviewAlways })
	expect(t, row, goal.Paused, goal.NeedsUser)
	client = dial() // the new client knows nothing of the first run
	w.start(g, &event.Resumed{Note: "yes"})
	row = w.end(g)
	expect(t, row, goal.Completed, goal.Done)
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests, want 4: none was refused", n)
	}
	w.mu.Lock()
	streamed := ""
	for _, e := range w.events {
		if d, ok := e.Body.(*event.Delta); ok {
			streamed += d.Reasoning
		}
	}
	w.mu.Unlock()
	if want := "secret thought 0secret thought 1secret thought 2secret thought 3"; streamed != want {
		t.Errorf("viewers received the reasoning %q, want %q", streamed, want)
	}
	critic.mu.Lock()
	defer critic.mu.Unlock()
	for _, turn := range critic.seen {
		fmt.Fprintf(shown, "%+v", turn)
		if turn.OnReasoning != nil {
			t.Error("a critic's reasoning would be shown as the agent's")
		}
	}
	if len(critic.seen) == 0 || !strings.Contains(shown.String(), "other.txt") ||
		strings.Contains(shown.String(), "thought") {
		t.Errorf("critic (%d turns), judge and reviewer were shown\n%s", len(critic.seen), shown)
	}
}

// failing is a turn that returns an error.
func failing(err error) func(context.Context, goal.Turn) (goal.Reply, error) {
	return func(context.Context, goal.Turn) (goal.Reply, error) { return goal.Reply{}, err }
}

// TestModelMistake_IsReportedToTheModel also checks that the model can correct the mistake, and that its tokens count.
func TestModelMistake_IsReportedToTheModel(t *testing.T) {
	w := newWorld(t,
		failing(&goal.ModelMistake{
			What:    "the call could not be read",
			Attempt: `<function=write_file>{"path"`,
			Usage:   goal.Usage{TokensIn: 100, TokensOut: 20},
		}),
		call(`write_file {"path":"done.txt","content":"x"}`), call(pendingClaim))
	_, row := w.run(nil)
	expect(t, row, goal.Completed, goal.Done)
	if said := w.model.lastUser(1); !strings.Contains(said, "the call could not be read") ||
		!strings.Contains(said, "<function=write_file>") {
		t.Errorf("the model received %q", said)
	}
	if row.Spent.TokensIn != 120 || row.Spent.TokensOut != 30 {
		t.Errorf("spent %+v", row.Spent)
	}
}

func TestModelMistake_ThreeInARow_IsStuckWithTheReason(t *testing.T) {
	w := newWorld(t, failing(&goal.ModelMistake{
		What: "the model used up its output limit of 9 tokens before it wrote anything",
	}))
	_, row := w.run(nil)
	expect(t, row, goal.Paused, goal.Stuck)
	if said := strings.Join(row.Report, "\n"); !strings.Contains(said, "used up its output limit of 9 tokens") {
		t.Errorf("report %q", said)
	}
}

// TestPrintedCall_IsNotRunAndNamesTheServersParser: the model is told what was wrong, and the user what to do.
func TestPrintedCall_IsNotRunAndNamesTheServersParser(t *testing.T) {
	w := newWorld(t, says(`<tool_call>{"name":"write_file","arguments":{"path":"done.txt","content":"x"}}</tool_call>`))
	_, row := w.run(nil)
	expect(t, row, goal.Paused, goal.Stuck)
	if said := strings.Join(row.Report, "\n"); !strings.Contains(said, "--tool-call-parser") {
		t.Errorf("report %q", said)
	}
	if said := w.model.lastUser(1); !strings.Contains(said, "a tool call in the text of the reply") {
		t.Errorf("the model received %q", said)
	}
}

// windowed is a session whose model has a limited window.
type windowed struct {
	runner.Session
	window int
}

func (w windowed) Models() runner.Models {
	return runner.Models{
		Agent:  w.Session.Models().Agent,
		Window: w.window,
	}
}

// TestRequestRefused_WindowNearlyFull_IsShortenedOnce: if the window is not nearly full, or if a shorter request is
// refused too, the user is asked.
func TestRequestRefused_WindowNearlyFull_IsShortenedOnce(t *testing.T) {
	const limit = 25_000
	for name, test := range map[string]struct {
		window   int
		always   bool
		exit     goal.Exit
		refusals int
	}{
		"nearly full":   {20_000, false, goal.Done, 2},
		"far from full": {400_000, false, goal.NeedsUser, 1},
		"does not help": {20_000, true, goal.NeedsUser, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var turns []func(context.Context, goal.Turn) (goal.Reply, error)
			for from := 10000; from <= 70000; from += 10000 {
				turns = append(turns, call(fmt.Sprintf(`run_command {"command":"seq %d %d"}`, from, from+3000)))
			}
			turns = append(turns, call(`write_file {"path":"done.txt","content":"x"}`), call(pendingClaim))
			n, refusals := 0, 0
			w := newWorld(t, func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
				bytes := 0
				for _, m := range turn.Messages {
					bytes += len(m.Text)
				}
				if bytes > limit || refusals > 0 && test.always {
					refusals++
					return goal.Reply{}, fmt.Errorf("400: an odd word: %w", goal.ErrRequestRefused)
				}
				n++
				reply, err := turns[n-1](ctx, turn)
				reply.Usage = goal.Usage{}
				return reply, err
			})
			w.runner = runner.New(runner.Config{
				Store: storeOf(w.store),
				Open: func(ctx context.Context, g goal.Goal, id goal.Run, say func(string, string)) (runner.Session, error) {
					opened, err := w.open(ctx, g, id, say)
					if err != nil {
						return nil, err
					}
					return windowed{opened, test.window}, nil
				},
				Publish: w.hear,
				Clock:   w.clock,
				Log:     slog.New(slog.DiscardHandler),
				Slots:   1,
			})
			_, row := w.run(nil)
			if row.Exit != test.exit || refusals != test.refusals {
				t.Errorf("%s after %d refusals: %v", row.Exit, refusals, row.Report)
			}
		})
	}
}
