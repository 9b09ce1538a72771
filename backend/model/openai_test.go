package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/model/modeltest"
)

// net/http lets a connection linger for half a second after its last answer.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

const key = "sk-very-secret-1234567890"

func client(t *testing.T, base string) *model.OpenAI {
	t.Helper()
	c, err := model.NewOpenAI(model.Options{BaseURL: base, Model: "small", APIKey: key, KeyName: "TEST_KEY", Linger: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func turn() goal.Turn {
	return goal.Turn{
		System:   "You are an engineer.",
		Messages: []goal.Message{{Role: goal.User, Text: "make it"}},
		Tools:    []goal.ToolSpec{{Name: "write_file", Description: "writes", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
	}
}

// one answers every request in the same way.
func one(a modeltest.Answer) modeltest.Script {
	return func(int, modeltest.Request) modeltest.Answer { return a }
}

func TestTextIsStreamedAndWhole(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Answer{Text: "Grüße, 世界! 🎉 done", Usage: goal.Usage{TokensIn: 7, TokensOut: 3}}))
	var heard strings.Builder
	pieces := 0
	r, err := client(t, s.URL).Turn(t.Context(), turn(), func(text string) { heard.WriteString(text); pieces++ })
	if err != nil {
		t.Fatal(err)
	}
	if r.Text != "Grüße, 世界! 🎉 done" || heard.String() != r.Text || pieces < 2 {
		t.Errorf("text %q, heard %q in %d pieces", r.Text, heard.String(), pieces)
	}
	if r.Usage != (goal.Usage{TokensIn: 7, TokensOut: 3}) {
		t.Errorf("usage %+v", r.Usage)
	}
	req := s.Requests()[0]
	if req.Model != "small" || !req.Stream || !req.IncludeUsage || len(req.Tools) != 1 || req.Messages[0].Role != goal.System {
		t.Errorf("the request was %s", req.Body)
	}
	if got := req.Header.Get("Authorization"); got != "Bearer "+key {
		t.Errorf("authorization %q", got)
	}
}

func TestConversationIsSentWhole(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Say("ok")))
	in := turn()
	in.Messages = append(in.Messages,
		goal.Message{Role: goal.Assistant, Text: "writing", Calls: []goal.Call{{ID: "a", Tool: "write_file", Arguments: `{"path":"x"}`}, {ID: "b", Tool: "write_file", Arguments: `{"path":`}}},
		goal.Message{Role: goal.ToolRole, CallID: "a", Text: "wrote x"},
		goal.Message{Role: goal.ToolRole, CallID: "b", Text: "broken arguments"},
		goal.Message{Role: goal.Assistant},
	)
	if _, err := client(t, s.URL).Turn(t.Context(), in, nil); err != nil {
		t.Fatal(err)
	}
	got := s.Requests()[0].Messages
	if len(got) != 6 {
		t.Fatalf("%d messages arrived", len(got))
	}
	if got[2].Calls[0].Arguments != `{"path":"x"}` || got[3].CallID != "a" || got[3].Text != "wrote x" {
		t.Errorf("the conversation arrived as %+v", got)
	}
	if !json.Valid([]byte(got[2].Calls[1].Arguments)) || !strings.Contains(got[2].Calls[1].Arguments, "unparsable") {
		t.Errorf("broken arguments went back as %q", got[2].Calls[1].Arguments)
	}
}

func TestCallsSurviveEveryQuirk(t *testing.T) {
	calls := []goal.Call{
		{ID: "one", Tool: "write_file", Arguments: `{"path":"a.txt","content":"x \"y\" é\n"}`},
		{ID: "two", Tool: "read_file", Arguments: `{"path":"b.txt"}`},
		{ID: "three", Tool: "read_file", Arguments: `{"path":"b.txt"}`},
	}
	for name, q := range map[string]modeltest.Quirks{
		"plain":            {},
		"no index":         {NoIndex: true},
		"id repeated":      {RepeatID: true},
		"both":             {NoIndex: true, RepeatID: true},
		"no id":            {NoID: true},
		"no id, no index":  {NoID: true, NoIndex: true},
		"object arguments": {ObjectArguments: true},
		"no finish reason": {NoFinish: true},
		"no [DONE]":        {NoDone: true},
		"no usage":         {NoUsage: true},
		"CRLF, comments":   {CRLF: true, Comments: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(modeltest.Answer{Text: "I write.", Calls: calls, Quirks: q}))
			r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Calls) != len(calls) {
				t.Fatalf("%d calls: %+v", len(r.Calls), r.Calls)
			}
			ids := map[string]bool{}
			for i, c := range r.Calls {
				ids[c.ID] = true
				if c.Tool != calls[i].Tool || c.Arguments != calls[i].Arguments || c.ID == "" || (!q.NoID && c.ID != calls[i].ID) {
					t.Errorf("call %d is %+v, want %+v", i, c, calls[i])
				}
			}
			if len(ids) != len(calls) {
				t.Errorf("ids are not unique: %v", ids)
			}
		})
	}
}

func TestEveryCallNumberedZero(t *testing.T) {
	const raw = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"y","function":{"name":"read_file","arguments":""}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":\"b\"}"}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}

`
	s := modeltest.New(t, one(modeltest.Answer{Raw: raw}))
	r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Calls) != 2 || r.Calls[0].Arguments != `{"path":"a"}` || r.Calls[1].Arguments != `{"path":"b"}` {
		t.Errorf("calls %+v", r.Calls)
	}
}

func TestAnswersThatAreNotStreamed(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Answer{ContentType: "application/json", Raw: `{"choices":[{"message":{"content":[{"type":"text","text":"hello"}],"tool_calls":[{"id":"q","function":{"name":"read_file","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`}))
	r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil || r.Text != "hello" || len(r.Calls) != 1 || r.Usage.TokensOut != 2 {
		t.Errorf("reply %+v, %v", r, err)
	}
}

func TestServerThatRefusesStreamOptions(t *testing.T) {
	s := modeltest.New(t, func(_ int, req modeltest.Request) modeltest.Answer {
		if req.IncludeUsage {
			return modeltest.Fail(http.StatusBadRequest, "unknown field: stream_options")
		}
		return modeltest.Say("fine")
	})
	c := client(t, s.URL)
	for range 2 {
		if r, err := c.Turn(t.Context(), turn(), nil); err != nil || r.Text != "fine" {
			t.Fatalf("reply %+v, %v", r, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3: the refusal is remembered", n)
	}
}

func TestServerThatKeepsTheConnectionAfterTheLastWord(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Answer{Text: "all of it", KeepOpen: true}))
	r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil || r.Text != "all of it" {
		t.Errorf("reply %+v, %v", r, err)
	}
}

func TestFaults(t *testing.T) {
	long := "data: " + strings.Repeat("x", 9<<20)
	broken := func(code string) string {
		return `data: {"choices":[{"delta":{"content":"hel"}}]}` + "\n\n" + `data: {"error":{"message":"sorry","code":` + code + `}}` + "\n\n"
	}
	tests := map[string]struct {
		answer modeltest.Answer
		kind   model.Kind
		retry  bool
		says   string
	}{
		"401":               {modeltest.Fail(401, "wrong key "+key), model.Auth, false, "check the key in TEST_KEY"},
		"403":               {modeltest.Fail(403, "no"), model.Auth, false, "TEST_KEY"},
		"404":               {modeltest.Fail(404, "no such model"), model.BadRequest, false, "/v1"},
		"400":               {modeltest.Fail(400, "no such field"), model.BadRequest, false, "no such field"},
		"too long":          {modeltest.Fail(400, "This model's maximum context length is 8192 tokens"), model.TooLong, false, "larger window"},
		"too long by code":  {modeltest.Answer{Status: 400, Body: `{"error":{"message":"no","code":"context_length_exceeded"}}`}, model.TooLong, false, "larger window"},
		"too long for 429":  {modeltest.Fail(429, "Request too large for x on tokens per min (TPM): Limit 30000, Requested 45000"), model.TooLong, false, "larger window"},
		"too long for 500":  {modeltest.Answer{Status: 500, Body: `{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`}, model.TooLong, false, "larger window"},
		"413":               {modeltest.Answer{Status: 413, Body: "no", ContentType: "text/plain"}, model.TooLong, false, "413"},
		"302":               {modeltest.Answer{Status: 302}, model.BadRequest, false, "302"},
		"500":               {modeltest.Fail(500, "oops"), model.Overloaded, true, "oops"},
		"503 as a page":     {modeltest.Answer{Status: 503, Body: "<html>busy</html>", ContentType: "text/html"}, model.Overloaded, true, "503"},
		"429 no credit":     {modeltest.Answer{Status: 429, Body: `{"error":{"message":"quota","code":"insufficient_quota"}}`}, model.Refused, false, "credit"},
		"cut in the text":   {modeltest.Answer{Text: strings.Repeat("word ", 40), CutAfter: 4}, model.Truncated, true, "before the reply was complete"},
		"cut in a call":     {modeltest.Answer{Calls: []goal.Call{{Tool: "write_file", Arguments: `{"path":"a","content":"b"}`}}, CutAfter: 4}, model.Truncated, true, "before"},
		"ended in the text": {modeltest.Answer{Text: "half", Quirks: modeltest.Quirks{NoFinish: true, NoDone: true}}, model.Truncated, true, "before"},
		"cut in an event":   {modeltest.Answer{Raw: `data: {"choices":[{"delta":{"content":"x"}}]}` + "\n\n" + `data: {"choices":[{"del`}, model.Truncated, true, "before"},
		"empty":             {modeltest.Answer{Raw: "\n"}, model.Truncated, true, "before"},
		"only [DONE]":       {modeltest.Answer{Raw: "data: [DONE]\n\n"}, model.Truncated, true, "without a reply"},
		"a web page":        {modeltest.Answer{Raw: "<html>", ContentType: "text/html; charset=utf-8"}, model.Garbage, false, "/v1"},
		"a page as stream":  {modeltest.Answer{Raw: "<html>\n<body>hi</body>\n</html>\n"}, model.Garbage, false, "not a stream"},
		"binary":            {modeltest.Answer{Raw: "\x00\x01\xff\xfe\n\x80\x81"}, model.Garbage, false, "not a stream"},
		"invalid JSON":      {modeltest.Answer{Raw: "data: {nope}\n\ndata: [DONE]\n\n"}, model.Garbage, false, "not readable"},
		"wrong types":       {modeltest.Answer{Raw: `data: {"choices":"none"}` + "\n\n"}, model.Garbage, false, "not readable"},
		"an endless line":   {modeltest.Answer{Raw: long}, model.Garbage, false, "8 MiB"},
		"error in stream":   {modeltest.Answer{Raw: broken(`"server_error"`)}, model.Overloaded, true, "sorry"},
		"limit in stream":   {modeltest.Answer{Raw: broken(`429`)}, model.RateLimited, true, "sorry"},
		"content filter":    {modeltest.Answer{Raw: `data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\n"}, model.Refused, false, "filter"},
		"refusal":           {modeltest.Answer{Raw: `data: {"choices":[{"delta":{"refusal":"I will not"},"finish_reason":"stop"}]}` + "\n\n"}, model.Refused, false, "I will not"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(test.answer))
			r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
			e, ok := model.AsError(err)
			if !ok {
				t.Fatalf("reply %+v, error %v", r, err)
			}
			if e.Kind != test.kind || e.Retryable() != test.retry || !strings.Contains(err.Error(), test.says) {
				t.Errorf("kind %s, retryable %v: %v", e.Kind, e.Retryable(), err)
			}
			if e.Hint == "" || strings.Contains(err.Error(), key) {
				t.Errorf("no hint, or the key is in it: %v", err)
			}
			if r.Text != "" || len(r.Calls) != 0 {
				t.Errorf("half a reply came out: %+v", r)
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%d requests: the SDK repeats by itself", n)
			}
		})
	}
}

func TestRetryAfterIsRead(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "0.5": 500 * time.Millisecond, "-3": 0, "soon": 0, "1e30": 24 * time.Hour,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): 0,
	} {
		a := modeltest.Fail(http.StatusTooManyRequests, "slow down")
		a.RetryAfter = header
		s := modeltest.New(t, one(a))
		_, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
		if e, ok := model.AsError(err); !ok || e.Kind != model.RateLimited || e.RetryAfter != want || e.Status != 429 {
			t.Errorf("%q: %+v", header, e)
		}
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://user:hidden@" + l.Addr().String() + "/v1?secret=1"
	_ = l.Close()
	_, err = client(t, base).Turn(t.Context(), turn(), nil)
	e, ok := model.AsError(err)
	if !ok || e.Kind != model.Unreachable || !e.Retryable() {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(e.Hint, "is the server running at http://127.0.0.1:") || strings.Contains(e.Error(), "hidden") || strings.Contains(e.Error(), "secret") {
		t.Errorf("hint %q, error %v", e.Hint, err)
	}
}

func TestServerThatIsNoWebServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 64<<10)) // the request, or its beginning
			_, _ = io.WriteString(c, "SSH-2.0-OpenSSH\r\n")
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	_, err = client(t, "http://"+l.Addr().String()).Turn(t.Context(), turn(), nil)
	if e, ok := model.AsError(err); !ok || (e.Kind != model.Garbage && e.Kind != model.Unreachable) { // a reset may come before the words
		t.Errorf("error %v", err)
	}
}

func TestAbortEndsATurnAtOnce(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Answer{Text: "a long story", Hang: true}))
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan struct{}, 64)
	failed := make(chan error, 1)
	go func() {
		_, err := client(t, s.URL).Turn(ctx, turn(), func(string) { heard <- struct{}{} })
		failed <- err
	}()
	<-heard // the stream is open
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestBaseURLIsChecked(t *testing.T) {
	for _, bad := range []string{"", "localhost:8080", "ftp://x/v1", "http://", "http://[::1"} {
		if _, err := model.NewOpenAI(model.Options{BaseURL: bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestSchemaThatIsNoObject(t *testing.T) {
	in := turn()
	in.Tools[0].Schema = json.RawMessage(`[1]`)
	s := modeltest.New(t, one(modeltest.Say("x")))
	if _, err := client(t, s.URL).Turn(t.Context(), in, nil); err == nil || !strings.Contains(err.Error(), "write_file") {
		t.Errorf("error %v", err)
	}
}
