package webhook

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"goalpost/backend/lib/fault"
)

// testClock is a clock whose waits end at once.
type testClock struct {
	now    time.Time
	pauses []time.Duration
}

func newTestClock() *testClock {
	return &testClock{now: time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)}
}

func (c *testClock) Now() time.Time { return c.now }

func (c *testClock) After(d time.Duration) <-chan time.Time {
	c.pauses = append(c.pauses, d)
	c.now = c.now.Add(d)
	ended := make(chan time.Time, 1)
	ended <- c.now
	return ended
}

// service is a server that answers one after the other, and then 200.
type service struct {
	*httptest.Server
	bodies []string
	paths  []string
}

func startService(t *testing.T, answers ...http.HandlerFunc) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s with %q: %v", r.Method, r.Header.Get("Content-Type"), err)
		}
		s.bodies, s.paths = append(s.bodies, string(b)), append(s.paths, r.URL.RequestURI())
		if n := len(s.bodies); n <= len(answers) {
			answers[n-1](w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) target(f Form, path string) Target {
	return Target{Form: f, URL: s.URL + path, PlainHTTP: true}
}

func answer(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "it says\x1b[31m why")
	}
}

const hostile = "paint\r\nX-Priority: max\r\n\r\n<!channel> <@U1> @everyone <at>all</at> " +
	"[x](http://evil.example) {{DATE(0)}} *b* \x1b[31m\u202e&"

func message() Message {
	return Message{
		Event: NeedsYou, Title: "A goal needs you " + hostile, Text: hostile + "\nrun command", Urgent: true,
		Goal:  &Goal{ID: "01g", Objective: hostile, Status: "paused"},
		Asked: "run command\ncommand: " + hostile, Waited: 8 * time.Minute,
		At: time.Date(2026, 11, 30, 21, 0, 0, 0, time.FixedZone("", 3600)), Link: "https://desk.example/?goal=01g",
	}
}

// sent sends a message and returns what arrived.
func sent(t *testing.T, f Form, path string, m Message) (got map[string]any, raw string, s *service) {
	t.Helper()
	s = startService(t)
	if a := NewSender(newTestClock()).Send(t.Context(), s.target(f, path), m); a.Err != nil || a.Status != http.StatusOK {
		t.Fatalf("%+v", a)
	}
	if len(s.bodies) != 1 {
		t.Fatalf("%d requests", len(s.bodies))
	}
	if err := json.Unmarshal([]byte(s.bodies[0]), &got); err != nil {
		t.Fatal(err)
	}
	return got, s.bodies[0], s
}

func TestSend_Ntfy_PublishesJSONToTheTopic(t *testing.T) {
	got, _, s := sent(t, Ntfy, "/base/my_topic-1", message())
	if s.paths[0] != "/base/" || got["topic"] != "my_topic-1" || got["priority"] != 4.0 ||
		got["click"] != "https://desk.example/?goal=01g" || got["markdown"] != nil {
		t.Errorf("%s: %v", s.paths[0], got)
	}
	title, ok := got["title"].(string)
	if !ok || strings.ContainsAny(title, "\r\n\x1b\u202e") ||
		!strings.HasPrefix(title, "A goal needs you paint X-Priority") {
		t.Errorf("%q", title)
	}
	words, ok := got["message"].(string)
	if !ok || strings.ContainsAny(words, "\r\x1b\u202e") || !strings.HasSuffix(words, "\nrun command") {
		t.Errorf("%q", words)
	}
}

func TestSend_Slack_TextHasNoMentionAndNoLink(t *testing.T) {
	got, _, _ := sent(t, Slack, "/services/T/B/x", message())
	words, ok := got["text"].(string)
	if !ok || len(got) != 2 || got["mrkdwn"] != false {
		t.Fatalf("%v", got)
	}
	for _, mark := range []string{"<", ">", "@U1", "@everyone", "](", "\x1b", "\u202e"} {
		if strings.Contains(words, mark) {
			t.Errorf("%q has %q", words, mark)
		}
	}
	if !strings.Contains(words, "&lt;!channel&gt;") || !strings.HasSuffix(words, "https://desk.example/?goal=01g") {
		t.Errorf("%q", words)
	}
}

func TestSend_Teams_IsACardWithoutMarkup(t *testing.T) {
	got, raw, _ := sent(t, Teams, "/workflows/x?sig=y", message())
	if got["type"] != "message" || strings.Contains(raw, "TextBlock\"") && !strings.Contains(raw, "RichTextBlock") ||
		strings.Contains(raw, `"entities"`) {
		t.Fatal(raw)
	}
	var card struct {
		Attachments []struct {
			ContentType string
			Content     struct {
				Type, Version string
				Body          []struct {
					Type    string
					Inlines []struct{ Type, Text string }
				}
				Actions []struct{ Type, URL string }
			}
		}
	}
	if err := json.Unmarshal([]byte(raw), &card); err != nil || len(card.Attachments) != 1 {
		t.Fatalf("%v: %s", err, raw)
	}
	a := card.Attachments[0]
	if a.ContentType != "application/vnd.microsoft.card.adaptive" || a.Content.Type != "AdaptiveCard" ||
		len(a.Content.Actions) != 1 || a.Content.Actions[0].URL != "https://desk.example/?goal=01g" {
		t.Fatal(raw)
	}
	for _, block := range a.Content.Body {
		if block.Type != "RichTextBlock" || len(block.Inlines) != 1 || block.Inlines[0].Type != "TextRun" {
			t.Errorf("%+v", block)
			continue
		}
		for _, mark := range []string{"<at>", "@everyone", "](", "{{", "\n", "\x1b"} {
			if strings.Contains(block.Inlines[0].Text, mark) {
				t.Errorf("%q has %q", block.Inlines[0].Text, mark)
			}
		}
	}
}

func TestSend_Generic_HasTheDocumentedFields(t *testing.T) {
	got, raw, _ := sent(t, Generic, "/hook", message())
	goal, ok := got["goal"].(map[string]any)
	if !ok || got["version"] != 1.0 || got["event"] != "needs_you" || got["time"] != "2026-11-30T20:00:00Z" ||
		got["waited_seconds"] != 480.0 || got["urgent"] != true || goal["id"] != "01g" || goal["status"] != "paused" {
		t.Error(raw)
	}
	objective, ok := goal["objective"].(string)
	if !ok || strings.ContainsAny(objective, "\r\n\x1b\u202e") {
		t.Errorf("%q", objective)
	}
	got, raw, _ = sent(t, Generic, "/hook", Message{Event: Test, Title: "t", At: time.Unix(0, 0)})
	for _, key := range []string{"goal", "asked", "waited_seconds", "link"} {
		if _, ok := got[key]; ok {
			t.Errorf("%s: %s", key, raw)
		}
	}
}

// TestSend_ServiceFails_RetriesAndGivesUp: what may pass is tried again, with the pause that the service asks for.
func TestSend_ServiceFails_RetriesAndGivesUp(t *testing.T) {
	busy := answer(http.StatusTooManyRequests, "Retry-After", "60")
	for _, c := range []struct {
		about    string
		answers  []http.HandlerFunc
		requests int
		pauses   []time.Duration
		want     string // a part of the error; "" if it arrived
	}{
		{"500 once", []http.HandlerFunc{answer(500)}, 2, []time.Duration{2 * time.Second}, ""},
		{
			"500 always",
			[]http.HandlerFunc{answer(500), answer(502), answer(503)},
			3,
			[]time.Duration{2 * time.Second, 10 * time.Second},
			"answered 503 Service Unavailable: it says[31m why",
		},
		{"429 with seconds", []http.HandlerFunc{busy}, 2, []time.Duration{time.Minute}, ""},
		{
			"429 with a date",
			[]http.HandlerFunc{answer(429, "Retry-After", "Mon, 30 Nov 2026 20:01:30 GMT")},
			2,
			[]time.Duration{90 * time.Second},
			"",
		},
		{"429 for long", []http.HandlerFunc{answer(429, "Retry-After", "3600")}, 1, nil, "no message for 1h0m0s"},
		{"404", []http.HandlerFunc{answer(404)}, 1, nil, "answered 404"},
		{
			"a redirect to another host",
			[]http.HandlerFunc{answer(307, "Location", "http://127.0.0.2:9/")},
			1,
			nil,
			"redirects",
		},
		{"a redirect that becomes a GET", []http.HandlerFunc{answer(302, "Location", "/x")}, 1, nil, "redirects"},
		{"a redirect to the same host", []http.HandlerFunc{answer(308, "Location", "/x")}, 2, nil, ""},
	} {
		s, clock := startService(t, c.answers...), newTestClock()
		a := NewSender(clock).Send(t.Context(), s.target(Generic, "/hook/secret-token"), message())
		if (a.Err == nil) != (c.want == "") || a.Err != nil && !strings.Contains(a.Err.Error(), c.want) {
			t.Errorf("%s: %v", c.about, a.Err)
		}
		if a.Err != nil && (strings.Contains(a.Err.Error(), "secret-token") || fault.Of(a.Err).Hint == "") {
			t.Errorf("%s: %v", c.about, a.Err)
		}
		if len(s.bodies) != c.requests || len(clock.pauses) != len(c.pauses) {
			t.Errorf("%s: %d requests, pauses %v", c.about, len(s.bodies), clock.pauses)
			continue
		}
		for i, pause := range c.pauses {
			if clock.pauses[i] != pause {
				t.Errorf("%s: pauses %v", c.about, clock.pauses)
			}
		}
	}
}

// TestSend_NoAnswer_HasNoAddressInTheError: a server that is not there, and one that is too slow.
func TestSend_NoAnswer_HasNoAddressInTheError(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	over := make(chan struct{})
	slow := startService(t, func(http.ResponseWriter, *http.Request) { <-over })
	t.Cleanup(func() { close(over) })
	for address, want := range map[string]string{gone.URL: "connection refused", slow.URL: "no answer within 100ms"} {
		s := NewSender(newTestClock())
		s.timeout = 100 * time.Millisecond
		a := s.Try(t.Context(), Target{Form: Generic, URL: address + "/secret-token", PlainHTTP: true}, message())
		if a.Err == nil || !strings.Contains(a.Err.Error(), want) || strings.Contains(a.Err.Error(), "secret-token") {
			t.Errorf("%v", a.Err)
		}
	}
}

func TestValidate_UnusableAddress_IsRefusedWithoutIt(t *testing.T) {
	for _, c := range []struct {
		target Target
		ok     bool
	}{
		{Target{Generic, "https://hooks.example.org/secret-token", false}, true},
		{Target{Ntfy, "https://ntfy.sh/secret-token", false}, true},
		{Target{Ntfy, "https://user:pass@ntfy.example.org/secret-token?auth=x", false}, true},
		{Target{Ntfy, "https://ntfy.sh/secret-token/", false}, false},
		{Target{Ntfy, "https://ntfy.sh/secret%0atoken", false}, false},
		{Target{Generic, "http://127.0.0.1:8080/secret-token", true}, true},
		{Target{Generic, "http://nas.lan/secret-token", true}, true},
		{Target{Generic, "http://127.0.0.1:8080/secret-token", false}, false},
		{Target{Generic, "http://93.184.216.34/secret-token", true}, false},
		{Target{Generic, "file:///secret-token", true}, false},
		{Target{Generic, "secret-token", true}, false},
		{Target{Generic, "https://x/\nsecret-token", true}, false},
		{Target{"mail", "https://hooks.example.org/secret-token", false}, false},
	} {
		err := c.target.Validate()
		if (err == nil) != c.ok || err != nil && strings.Contains(err.Error(), "secret-token") {
			t.Errorf("%s: %v", c.target.URL, err)
		}
	}
}

// TestTry_PlainAddressOfTheInternet_IsNotReached: a name that leads out of the private network has no address there.
func TestTry_PlainAddressOfTheInternet_IsNotReached(t *testing.T) {
	transport, ok := NewSender(newTestClock()).plain.Transport.(*http.Transport)
	if !ok || transport.Proxy != nil {
		t.Fatal("what has no encryption goes through a proxy")
	}
	if _, err := transport.DialContext(t.Context(), "tcp", "93.184.216.34:80"); !errors.Is(err, errNotPrivate) {
		t.Error(err)
	}
}
