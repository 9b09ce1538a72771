package event_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

var at = time.Date(2026, 11, 21, 8, 30, 15, 123e6, time.UTC)

// filled returns one body of every type with all fields set.
func filled() []event.Body {
	return []event.Body{
		&event.Created{
			Objective: "eine \"Sache\" tun <\u2028>",
			Criterion: "c",
			Dir:       "/w",
			Risk:      policy.WriteLocal,
			Provider:  "p",
			Model:     "m",
			Scripted:  true,
		},
		&event.Queued{Reason: "r", Left: goal.PausedByUser, By: "g2"},
		&event.Started{},
		&event.Reopened{Note: "n"},
		&event.LimitsChanged{WallClockMS: 1, Iterations: 2, ClaimsPerCheck: 3, Tokens: 4, USD: 5.5},
		&event.ModelChanged{Provider: "p", Model: "m", Fallbacks: []string{"q/n"}},
		&event.Iteration{N: 3},
		&event.Message{
			Message: goal.Message{
				Role:   goal.Assistant,
				Text:   "t",
				Calls:  []goal.Call{{ID: "1", Tool: "x", Arguments: `{"broken`}},
				CallID: "c",
			},
		},
		&event.StepStarted{
			StepID:    4,
			Tool:      "x",
			Arguments: `{"a":1}`,
			Effect: policy.Effect{
				Risk:    policy.ReadOnly,
				Control: true,
				Paths:   []string{"/w/a"},
				Hosts:   []string{"h"},
				Reason:  "r",
			},
		},
		&event.Step{StepID: 4, Tool: "x", Outcome: event.Denied, MS: 12, Preview: "p", ImageSHA256: "ab", WholeSHA256: "cd"},
		&event.ApprovalRequested{Approval: goal.Approval{
			ID:        "a1",
			Step:      4,
			Tool:      "x",
			Arguments: "{}",
			Effect:    policy.Effect{Risk: policy.NetworkWrite, Deletes: []string{"/a"}, Irreversible: true, Pane: "t1"},
			Show:      "s",
			Why:       "w",
			Always:    true,
			Offers:    []policy.Grant{{Scope: policy.ScopeOnce, Tool: "x", Call: "k"}},
		}},
		&event.ApprovalResolved{Request: "a1", Answer: goal.Answer{
			Allowed: true, Why: "w", By: "user",
			Grant: policy.Grant{
				ID:      "a1",
				Scope:   policy.ScopeHost,
				Tool:    "x",
				Risk:    policy.NetworkGet,
				Hosts:   []string{"h"},
				Paths:   []string{"/p"},
				Command: "c",
				Pane:    "t1",
			},
		}},
		&event.GrantEnded{Request: "a1", Why: "used"},
		&event.Todos{Items: []goal.Todo{{Text: "t", Done: true}}, Notes: []goal.Note{{N: 2, Text: "n"}}, Note: 2},
		&event.Critic{Verdict: event.CriticOffTrack, Reason: "r", Reply: "w", Step: 5},
		&event.Claim{N: 1, Rationale: "r", Result: "s", By: "user", OpenTodos: 3},
		&event.Verdict{Claim: 1, Verdict: goal.Verdict{
			Check:    2,
			Type:     goal.ModelQuestion,
			Name:     "n",
			Outcome:  goal.Fail,
			Detail:   "d",
			Tail:     "t",
			Reply:    "w",
			Evidence: "e",
			Bytes:    9,
			ExitCode: 7,
			Tries:    2,
			Usage:    goal.Usage{TokensIn: 1},
			TookMS:   8,
		}},
		&event.Review{
			Claim:  1,
			Review: goal.Review{Confirmed: true, Reason: "r", Reply: "w", Error: true, Usage: goal.Usage{TokensOut: 1}},
		},
		&event.VerificationFailed{Claim: 1, Detail: "d"},
		&event.Usage{Usage: goal.Usage{TokensIn: 1, TokensOut: 2, USD: 0.5}, By: "judge"},
		&event.Steered{Text: "t", From: "g2"},
		&event.Lease{Pane: "t1", Kind: pane.Terminal, Held: true},
		&event.Warning{What: "usd", Text: "t", Percent: 50},
		&event.Paused{
			Exit:    goal.Interrupted,
			Reason:  "r",
			Report:  []string{"a"},
			Account: "b",
			Until:   "2026-11-21T08:30:15.123Z",
			By:      "g2",
			Wait: &goal.Wait{
				For: "w", Call: goal.Call{ID: "c", Tool: "wait_until", Arguments: "{}"}, Step: 3, Grant: "a1",
				Since:   time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC),
				Until:   time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
				EveryMS: 60000,
				Mark:    "m",
			},
		},
		&event.Looked{StepID: 3, N: 2, Text: "t"},
		&event.Resumed{Note: "n"},
		&event.Ended{
			Status:   goal.Completed,
			Exit:     goal.Done,
			Verified: true,
			Report:   []string{"a", "b"},
			Account:  "c",
			By:       goal.ExternalAgent,
		},
		&event.Accepted{Proof: goal.Proof{Assurance: goal.Weakened, Basis: goal.BasisUser, AssuranceReason: "r"}},
		&event.ChangesUndone{
			To: "step 3", Count: 2, Files: []string{"a", "b"}, Skipped: 1, Redo: true,
			Undone: goal.Undone{Files: []string{"c"}, Count: 1, All: true},
		},
		&event.Taken{Folder: "/f", Count: 2, Commit: "c", Branch: "main", Undone: true},
		&event.RaceRanked{
			Reviewer: "m", Asked: []int{1}, Ranked: []event.RankedRunner{{Runner: 1, Reason: "r"}}, Problem: "p",
		},
		&event.Rechecked{Result: goal.RecheckFailed, Passed: 1, Verdicts: []goal.Verdict{{Check: 1, Outcome: goal.Fail}}},
		&event.Delta{Text: "t"},
		&event.Egress{
			From:    "program",
			Method:  "GET",
			Host:    "h",
			Port:    "80",
			Own:     true,
			Allowed: true,
			Reason:  "r",
			Status:  200,
			In:      1,
			Out:     2,
			MS:      3,
		},
		&event.Pane{
			Rev:    2,
			Pane:   pane.Info{ID: "b1", Kind: pane.Browser, URL: "http://127.0.0.1/"},
			Closed: true,
			Focus:  true,
		},
		&event.SettingsChanged{},
		&event.SchedulesChanged{TurnedOff: "3 runs in a row failed"},
		&event.Chat{
			Chat: chat.Chat{
				ID: "c", Title: "t", Workspace: "w", Dir: "/w", Provider: "p", Model: "m", Effort: "high", GoalID: "g",
				From: "b", IsAnswering: true, Spent: goal.Usage{TokensIn: 1}, CreatedAt: at, UpdatedAt: at,
			},
			Deleted: true,
		},
		&event.ChatMessage{ChatID: "c", Message: chat.Message{
			ID: 2, Role: chat.Assistant, Text: "t", State: chat.Failed, Problem: "p", Hint: "h", Waiting: "w", Model: "m",
			Attachments: []chat.Attachment{{Kind: chat.AttachFile, Title: "f", Path: "f"}},
			Parts:       []chat.Part{{Text: "t"}, {Call: &chat.Call{ID: "1", Tool: "read_file", State: chat.CallOK}}},
			Usage:       goal.Usage{TokensOut: 1}, GoalID: "g", Versions: []int64{2, 3}, At: at,
		}},
		&event.ChatPart{ChatID: "c", Message: 2, Index: 1, Part: chat.Part{Text: "t"}},
		&event.ChatDelta{ChatID: "c", Delta: chat.Delta{Message: 2, Part: 1, Offset: 3, Text: "t", Reasoning: "r"}},
	}
}

// TestEvent_EveryType_IsReadBack also checks that the JSON of an event is one flat object.
func TestEvent_EveryType_IsReadBack(t *testing.T) {
	bodies := filled()
	if len(bodies) != len(event.BodyTypes()) {
		t.Fatalf("%d bodies are filled and %d exist", len(bodies), len(event.BodyTypes()))
	}
	for i, body := range bodies {
		if reflect.TypeOf(body) != reflect.TypeOf(event.BodyTypes()[i]) {
			t.Fatalf("body %d is %T and should be %T", i, body, event.BodyTypes()[i])
		}
		t.Run(body.EventType(), func(t *testing.T) {
			want := event.Event{GoalID: "01g", RunID: "01r", Seq: 5, At: at, Body: body}
			b, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			var got event.Event
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s\ncame back as %+v", b, got.Body)
			}
			var flat map[string]any
			if err := json.Unmarshal(b, &flat); err != nil {
				t.Fatal(err)
			}
			if flat["type"] != body.EventType() || flat["goal_id"] != "01g" || flat["run_id"] != "01r" || flat["seq"] != 5.0 ||
				flat["at"] != "2026-11-21T08:30:15.123Z" {
				t.Errorf("the header is not in %s", b)
			}
			if strings.ContainsAny(string(b), "\n\u2028") {
				t.Errorf("more than one line: %s", b)
			}
		})
	}
}

// TestEvent_FieldsOfBodies_DoNotHideTheHeader checks that no field of a body has the name of a header field.
func TestEvent_FieldsOfBodies_DoNotHideTheHeader(t *testing.T) {
	seen := map[string]bool{}
	for _, body := range filled() {
		if seen[body.EventType()] {
			t.Errorf("two bodies are called %s", body.EventType())
		}
		seen[body.EventType()] = true
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(b, &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"type", "goal_id", "run_id", "seq", "at"} {
			if _, ok := fields[name]; ok {
				t.Errorf("%s has a field %s of its own", body.EventType(), name)
			}
		}
	}
}

// TestStep_ResultAndImage_AreNotInJSON checks this because whole results and pictures are stored outside the journal.
func TestStep_ResultAndImage_AreNotInJSON(t *testing.T) {
	b, err := json.Marshal(event.Event{At: at, Body: &event.Step{Result: "WHOLE", Image: []byte("WHOLE")}})
	if err != nil || strings.Contains(string(b), "WHOLE") || strings.Contains(string(b), "V0hPTEU") {
		t.Errorf("%s, %v", b, err)
	}
}

func TestEvent_Time_IsInUTC(t *testing.T) {
	zone := time.FixedZone("east", 3*3600)
	b, err := json.Marshal(event.Event{At: at.In(zone), Body: event.Started{}})
	if err != nil || string(b) != `{"type":"started","at":"2026-11-21T08:30:15.123Z"}` {
		t.Errorf("%s, %v", b, err)
	}
}

func TestEvent_InvalidJSON_IsRefused(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"telepathy","at":"2026-11-21T08:30:15.123Z"}`:           `unknown event type "telepathy"`,
		`{"at":"2026-11-21T08:30:15.123Z"}`:                              `unknown event type ""`,
		`{"type":"iteration","at":"2026-11-21T08:30:15.123Z","n":"two"}`: "event iteration",
		`{"type":"started","at":"yesterday"}`:                            "event time",
		`{"type":"started"}`:                                             "event time",
		`[]`:                                                             "event",
	} {
		e := event.Event{Seq: 9}
		err := json.Unmarshal([]byte(in), &e)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
		if e.Seq != 9 || e.Body != nil {
			t.Errorf("%s changed the event to %+v", in, e)
		}
	}
}

// FuzzUnmarshal checks that no input makes UnmarshalJSON panic, and that every event that was read can be written and
// read again.
func FuzzUnmarshal(f *testing.F) {
	for _, body := range filled() {
		b, err := json.Marshal(event.Event{GoalID: "g", Seq: 1, At: at, Body: body})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e event.Event
		if json.Unmarshal(b, &e) != nil {
			return
		}
		again, err := json.Marshal(e)
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", b, err)
		}
		var twice event.Event
		if err := json.Unmarshal(again, &twice); err != nil {
			t.Fatalf("%q became %q: %v", b, again, err)
		}
	})
}
