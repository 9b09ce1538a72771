package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/panes/stream"
)

func read(tb testing.TB, ws *websocket.Conn) (websocket.MessageType, []byte) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Scale(20*time.Second))
	defer cancel()
	kind, data, err := ws.Read(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	return kind, data
}

func readText(tb testing.TB, ws *websocket.Conn) string {
	tb.Helper()
	kind, data := read(tb, ws)
	if kind != websocket.MessageText {
		tb.Fatalf("a binary message of %d bytes", len(data))
	}
	return string(data)
}

func send(tb testing.TB, ws *websocket.Conn, text string) {
	tb.Helper()
	if err := ws.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		tb.Fatal(err)
	}
}

// closing reads to the end and returns the close code and reason.
func closing(tb testing.TB, ws *websocket.Conn) (websocket.StatusCode, string) {
	tb.Helper()
	for {
		_, _, err := ws.Read(context.Background())
		if err == nil {
			continue
		}
		code := websocket.CloseStatus(err)
		reason := err.Error()
		return code, reason
	}
}

func TestAuthorize_ForeignRequests_AreRefused(t *testing.T) {
	w := open(t, func(*stream.Options) {})
	port := w.URL()[strings.LastIndex(w.URL(), ":"):]
	protocols := func(p ...string) func(*websocket.DialOptions) {
		return func(o *websocket.DialOptions) { o.Subprotocols = p }
	}
	header := func(k, v string) func(*websocket.DialOptions) {
		return func(o *websocket.DialOptions) { o.HTTPHeader.Set(k, v) }
	}
	host := func(h string) func(*websocket.DialOptions) {
		return func(o *websocket.DialOptions) { o.Host = h }
	}
	for name, test := range map[string]struct {
		path   string
		change func(*websocket.DialOptions)
		open   bool
	}{
		"as the page does":    {"/v1/events", nil, true},
		"other window origin": {"/v1/events", header("Origin", "wails://wails.localhost"), true},
		"localhost":           {"/v1/events", host("localhost" + port), true},
		"no token":            {"/v1/events", protocols(stream.Protocol), false},
		"wrong token":         {"/v1/events", protocols(stream.Protocol, "token."+strings.Repeat("0", 64)), false},
		"empty token":         {"/v1/events", protocols(stream.Protocol, "token."), false},
		"token cut short":     {"/v1/events", protocols(stream.Protocol, "token."+w.Token()[:63]), false},
		"token in the query":  {"/v1/events?token=" + w.Token(), protocols(stream.Protocol), false},
		"wrong origin":        {"/v1/events", header("Origin", "https://evil.example"), false},
		"like our origin":     {"/v1/events", header("Origin", "wails://wails.evil.example"), false},
		"our own address":     {"/v1/events", header("Origin", "http://127.0.0.1"+port), false},
		"null origin":         {"/v1/events", header("Origin", "null"), false},
		"no origin":           {"/v1/events", func(o *websocket.DialOptions) { o.HTTPHeader.Del("Origin") }, false},
		"two origins": {"/v1/events", func(o *websocket.DialOptions) {
			o.HTTPHeader.Add("Origin", "https://evil.example")
		}, false},
		"rebound name": {"/v1/events", host("evil.example" + port), false},
		"other port":   {"/v1/events", host("127.0.0.1:1"), false},
		"no port":      {"/v1/events", host("127.0.0.1"), false},
		"unknown path": {"/v1/secrets", nil, false},
		"root":         {"/", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			ws, err := w.try(test.path, test.change)
			if !test.open {
				if err == nil || err.Error() != "403" {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if ws.Subprotocol() != stream.Protocol {
				t.Errorf("subprotocol %q", ws.Subprotocol())
			}
			_ = ws.CloseNow()
		})
	}
	if strings.Contains(w.log.text(), w.Token()) {
		t.Error("the token is in the log")
	}
	if !strings.Contains(w.log.text(), "reason=origin") || !strings.Contains(w.log.text(), "reason=token") ||
		!strings.Contains(w.log.text(), "reason=host") {
		t.Errorf("the log says %s", w.log.text())
	}
	if !strings.HasPrefix(w.URL(), "ws://127.0.0.1:") || len(w.Token()) != 64 {
		t.Errorf("url %s", w.URL())
	}
}

func TestEndpoints_PlainRequest_IsRefused(t *testing.T) {
	w := open(t, func(*stream.Options) {})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(w.URL(), "ws:", "http:", 1)+
		"/v1/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "wails://wails")
	req.Header.Set("Sec-WebSocket-Protocol", "token."+w.Token())
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestPane_Missing_ClosesWithNotFound(t *testing.T) {
	w := open(t, func(*stream.Options) {})
	for _, path := range []string{"/v1/terminal/t9", "/v1/browser/b9"} {
		code, reason := closing(t, w.dial(t, path))
		if code != stream.CloseNotFound || !strings.Contains(reason, "there is no") {
			t.Errorf("%s: %d %s", path, code, reason)
		}
	}
	for _, offset := range []string{"-1", "x", "99999999999999999999"} {
		if code, reason := closing(t, w.dial(t, "/v1/terminal/t1?offset="+offset)); code != stream.CloseNotFound ||
			!strings.Contains(reason, "byte count") {
			t.Errorf("offset %s: %d %s", offset, code, reason)
		}
	}
	if code, reason := closing(t,
		w.dial(t, "/v1/terminal/"+strings.Repeat("%E4%B8%96", 200))); code != stream.CloseNotFound {
		t.Errorf("a long name: %d %s", code, reason)
	}
}

func TestEvents_AfterHello_AreComplete(t *testing.T) {
	w := open(t, func(*stream.Options) {})
	ws := w.dial(t, "/v1/events")
	if got := readText(t, ws); got != `{"type":"hello"}` {
		t.Fatalf("first %s", got)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	w.broker.Publish(event.Event{GoalID: "g", RunID: "r", Seq: 1, At: at, Body: event.Iteration{N: 4}})
	w.broker.Publish(event.Event{GoalID: "g", At: at, Body: event.Delta{Text: "hé"}})
	w.broker.Publish(event.Event{At: at, Body: event.Pane{Rev: 3, Pane: pane.Info{ID: "t1"}, Closed: true}})
	if got, want := readText(t, ws),
		`{"type":"iteration","goal_id":"g","run_id":"r","seq":1,"at":"2026-01-02T03:04:05.006Z","n":4}`; got != want {
		t.Errorf("got %s", got)
	}
	for _, want := range []string{"delta", "pane"} {
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(readText(t, ws)), &e); err != nil || e.Type != want {
			t.Errorf("type %q, %v", e.Type, err)
		}
	}
}

// TestEvents_FastText_ComesInFewMessages checks that words which follow each other are joined, and that no event
// overtakes them.
func TestEvents_FastText_ComesInFewMessages(t *testing.T) {
	const words = 400
	w := open(t, func(o *stream.Options) { o.Buffer = 4 * words })
	ws := w.dial(t, "/v1/events")
	readText(t, ws)
	var want [2]strings.Builder
	for i := range words {
		for k, id := range []chat.ID{"a", "b"} {
			word := fmt.Sprintf("%s%d ", id, i)
			w.broker.Publish(event.Event{Body: &event.ChatDelta{ChatID: id, Delta: chat.Delta{
				Message: 1, Offset: want[k].Len(), Text: word,
			}}})
			want[k].WriteString(word)
		}
	}
	w.broker.Publish(event.Event{GoalID: "g", Seq: 1, Body: event.Iteration{N: 1}})
	got := map[string]string{}
	for messages := 0; ; messages++ {
		var e struct {
			Type, Text string
			ChatID     string `json:"chat_id"`
			Offset     int
		}
		if err := json.Unmarshal([]byte(readText(t, ws)), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "iteration" {
			if messages > words/2 {
				t.Errorf("%d messages for twice %d words", messages, words)
			}
			break
		}
		if e.Offset != len(got[e.ChatID]) {
			t.Fatalf("text of %s at %d, not at %d", e.ChatID, e.Offset, len(got[e.ChatID]))
		}
		got[e.ChatID] += e.Text
	}
	if got["a"] != want[0].String() || got["b"] != want[1].String() {
		t.Errorf("words are missing: %d of %d, %d of %d", len(got["a"]), want[0].Len(), len(got["b"]), want[1].Len())
	}
}

// TestEvents_TextAlone_IsSent checks that the last words need no event after them.
func TestEvents_TextAlone_IsSent(t *testing.T) {
	w := open(t, func(*stream.Options) {})
	ws := w.dial(t, "/v1/events")
	readText(t, ws)
	got := ""
	for _, word := range []string{"one ", "two ", "three"} {
		w.broker.Publish(event.Event{GoalID: "g", Body: &event.Delta{Text: word}})
	}
	for got != "one two three" {
		var e struct{ Text string }
		if err := json.Unmarshal([]byte(readText(t, ws)), &e); err != nil {
			t.Fatal(err)
		}
		got += e.Text
	}
}

func TestEvents_SlowPage_IsClosed(t *testing.T) {
	w := open(t, func(o *stream.Options) { o.Buffer = 4 })
	ws := w.dial(t, "/v1/events")
	if got := readText(t, ws); got != `{"type":"hello"}` {
		t.Fatalf("first %s", got)
	}
	big := strings.Repeat("x", 1<<20)
	for i := range 64 { // more than the sockets' buffers hold
		w.broker.Publish(event.Event{GoalID: "g", Seq: int64(i + 1), Body: event.Steered{Text: big}})
	}
	if code, reason := closing(t, ws); code != websocket.StatusTryAgainLater {
		t.Errorf("closed with %d %s", code, reason)
	}
}

func TestEvents_ManyPages_AllGetThem(t *testing.T) {
	w := open(t, func(*stream.Options) {})
	const pages, events = 8, 500
	all := make([]*websocket.Conn, pages)
	for i := range all {
		all[i] = w.dial(t, "/v1/events")
		readText(t, all[i])
	}
	go func() {
		for i := range events {
			w.broker.Publish(event.Event{GoalID: goal.ID("g"), Seq: int64(i + 1), Body: event.Iteration{N: i}})
		}
	}()
	done := make(chan error, pages)
	for _, ws := range all {
		go func() {
			for i := range events {
				_, data, err := ws.Read(context.Background())
				var e struct{ Seq int }
				if err == nil {
					err = json.Unmarshal(data, &e)
				}
				if err == nil && e.Seq != i+1 {
					err = fmt.Errorf("seq %d, want %d", e.Seq, i+1)
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range all {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestClose_OpenSockets_CloseWithGoingAway(t *testing.T) {
	w := open(t, func(*stream.Options) {})
	w.terminals["t1"] = &fakeTerminal{tb: t, data: []byte("hi"), chunk: 10}
	b := newBrowser()
	w.browsers["b1"] = b
	go func() { b.updates <- frame(1) }()
	codes := make(chan websocket.StatusCode, 3)
	for _, path := range []string{"/v1/events", "/v1/terminal/t1", "/v1/browser/b1"} {
		ws := w.dial(t, path)
		read(t, ws) // the upgrade must be complete, because closing the port would interrupt it
		go func() {
			for {
				if _, _, err := ws.Read(context.Background()); err != nil {
					codes <- websocket.CloseStatus(err)
					return
				}
			}
		}()
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if code := <-codes; code != websocket.StatusGoingAway {
			t.Errorf("closed with %d", code)
		}
	}
	if _, err := w.try("/v1/events", nil); err == nil {
		t.Error("a closed server answers")
	}
}

func TestClose_SilentPage_IsCutOff(t *testing.T) {
	w := open(t, func(*stream.Options) {})
	w.dial(t, "/v1/events") // never reads, so it does not answer the close message
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Close(ctx); err == nil {
		t.Error("the page answered")
	}
}

func TestPing_PageVanished_IsDetected(t *testing.T) {
	w := open(t, func(o *stream.Options) { o.Ping = 30 * time.Millisecond })
	b := newBrowser()
	w.browsers["b1"] = b
	w.dial(t, "/v1/browser/b1") // does not read, so does not answer pings
	<-b.left
}

func TestHandler_UsesOtherAuth(t *testing.T) {
	w := open(t, func(*stream.Options) {})
	front := httptest.NewServer(w.Handler(func(r *http.Request) bool { return r.Header.Get("Cookie") == "s=1" }))
	t.Cleanup(front.Close)
	dial := func(cookie string) (*websocket.Conn, error) {
		//nolint:bodyclose // Dial closes it
		ws, _, err := websocket.Dial(t.Context(), front.URL+"/v1/events", &websocket.DialOptions{
			HTTPHeader: http.Header{"Cookie": {cookie}}, Subprotocols: []string{stream.Protocol},
		})
		return ws, err
	}
	if _, err := dial("s=2"); err == nil {
		t.Error("let in without the cookie")
	}
	ws, err := dial("s=1")
	if err != nil {
		t.Fatal(err)
	}
	if got := readText(t, ws); got != `{"type":"hello"}` {
		t.Errorf("first %s", got)
	}
	_ = ws.CloseNow()
}

// TestEvents_PageShowsAGoal_IsReportedUntilItCloses: what the user sees ends with the connection.
func TestEvents_PageShowsAGoal_IsReportedUntilItCloses(t *testing.T) {
	w := open(t, nil)
	next := func() goal.ID {
		select {
		case id := <-w.pages:
			return id
		case <-time.After(waittest.Scale(time.Minute)):
			t.Fatal("nothing was reported")
			return ""
		}
	}
	ws := w.dial(t, "/v1/events")
	readText(t, ws)
	send(t, ws, `{"t":"looks","goal":"g1"}`)
	send(t, ws, `{"t":"another"}`)
	send(t, ws, `{"t":"looks","goal":""}`)
	if a, b := next(), next(); a != "g1" || b != "" {
		t.Errorf("reported %q and %q", a, b)
	}
	if err := ws.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != "closed" {
		t.Errorf("reported %q", got)
	}
	ws = w.dial(t, "/v1/events")
	readText(t, ws)
	send(t, ws, `looks`)
	if code, _ := closing(t, ws); code != websocket.StatusPolicyViolation {
		t.Errorf("a message that is not JSON closes with %d", code)
	}
}
