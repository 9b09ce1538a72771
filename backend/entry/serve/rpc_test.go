package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"goalpost/backend/entry/serve"
	"goalpost/backend/lib/fault"
)

func (s *site) socket(t *testing.T) *websocket.Conn {
	t.Helper()
	c := user(t)
	s.logIn(t, c)
	//nolint:bodyclose // Dial closes it
	ws, _, err := websocket.Dial(t.Context(), s.base+"/v1/rpc", &websocket.DialOptions{
		HTTPClient: c, HTTPHeader: http.Header{"Origin": {s.base}}, Subprotocols: []string{"goalpost.v1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

type reply struct {
	ID      int
	Result  json.RawMessage
	Problem *fault.Error
}

func write(t *testing.T, ws *websocket.Conn, text string) {
	t.Helper()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, ws *websocket.Conn) reply {
	t.Helper()
	_, data, err := ws.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return r
}

func TestRPC_EachCall_GetsItsResult(t *testing.T) {
	ws := open(t, nil).socket(t)
	for i, test := range []struct{ request, result, code, says string }{
		{`"method":"CalcAPI.Add","args":[{"a":1,"b":2}]`, `3`, "", ""},
		{`"method":"CalcAPI.Join","args":[["a","é"],"-"]`, `"a-é"`, "", ""},
		{`"method":"CalcAPI.Nothing"`, `null`, "", ""},
		{`"method":"CalcAPI.Nothing","args":[],"later":1`, `null`, "", ""},
		{`"method":"CalcAPI.Refuse","args":[]`, "", "refused", "no check"},
		{`"method":"CalcAPI.Fail","args":[]`, "", "internal", "disk is full"},
		{`"method":"CalcAPI.Break","args":[]`, "", "internal", "internal error"},
		{`"method":"CalcAPI.Infinite","args":[]`, "", "internal", "internal error"},
		{`"method":"CalcAPI.Add","args":[]`, "", "refused", "got 0 arguments, want 1"},
		{`"method":"CalcAPI.Add","args":[{"a":"x"}]`, "", "refused", "argument 1"},
		{`"method":"CalcAPI.Add","args":[{"c":1}]`, "", "refused", "unknown field"},
		{`"method":"CalcAPI.Add","args":[{},{}]`, "", "refused", "2 arguments"},
		{`"method":"CalcAPI.hidden","args":[]`, "", "not_found", "CalcAPI.hidden"},
		{`"method":"CalcAPI.String","args":[]`, "", "not_found", "CalcAPI.String"},
		{`"method":"","args":[]`, "", "not_found", "no method"},
		{`"method":"` + strings.Repeat("x", 5000) + `"`, "", "not_found", "no method"},
	} {
		write(t, ws, fmt.Sprintf(`{"id":%d,%s}`, i, test.request))
		r := read(t, ws)
		if r.ID != i {
			t.Errorf("%s: id %d", test.request, r.ID)
		}
		if test.code == "" {
			if r.Problem != nil || string(r.Result) != test.result {
				t.Errorf("%s: %s %+v", test.request, r.Result, r.Problem)
			}
			continue
		}
		if r.Problem == nil || r.Problem.Code != test.code || !strings.Contains(r.Problem.Message, test.says) ||
			len(r.Problem.Message) > 300 {
			t.Errorf("%s: %s %+v", test.request, r.Result, r.Problem)
		}
		if test.says == "no check" && (r.Problem.Field != "criterion" || r.Problem.Hint != "add one") {
			t.Errorf("the problem lost its parts: %+v", r.Problem)
		}
	}
}

func TestRPC_SlowCall_DoesNotDelayOthers(t *testing.T) {
	s := open(t, nil)
	ws := s.socket(t)
	const waiting = 20
	for i := range waiting {
		write(t, ws, fmt.Sprintf(`{"id":%d,"method":"CalcAPI.Wait","args":[]}`, i))
	}
	for range waiting {
		<-s.calc.entered
	}
	write(t, ws, `{"id":100,"method":"CalcAPI.Add","args":[{"a":2,"b":2}]}`)
	if r := read(t, ws); r.ID != 100 || string(r.Result) != "4" {
		t.Errorf("answer %+v", r)
	}
	close(s.calc.gate)
	seen := map[int]bool{}
	for range waiting {
		r := read(t, ws)
		seen[r.ID] = string(r.Result) == `"waited"`
	}
	for i := range waiting {
		if !seen[i] {
			t.Errorf("no answer to %d", i)
		}
	}
}

func TestRPC_PageLeaves_CallContinues(t *testing.T) {
	s := open(t, nil)
	ws := s.socket(t)
	write(t, ws, `{"id":1,"method":"CalcAPI.Wait","args":[]}`)
	<-s.calc.entered
	_ = ws.CloseNow()
	if err := s.Close(t.Context()); err != nil { // waits for the call, whose context ends
		t.Fatal(err)
	}
	if len(s.calc.entered) != 0 {
		t.Error("the call ran again")
	}
}

func TestClose_OpenSocket_ClosesWithGoingAway(t *testing.T) {
	s := open(t, nil)
	ws := s.socket(t)
	write(t, ws, `{"id":1,"method":"CalcAPI.Nothing","args":[]}`)
	read(t, ws)
	code := make(chan websocket.StatusCode)
	go func() {
		_, _, err := ws.Read(context.Background())
		code <- websocket.CloseStatus(err)
	}()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != websocket.StatusGoingAway {
		t.Errorf("closed with %d", got)
	}
}

func TestRPC_InvalidRequests(t *testing.T) {
	s := open(t, nil)
	for _, text := range []string{"hello", "[]", `{"id":"x"}`, `{"id":1,"method":7}`, ""} {
		ws := s.socket(t)
		write(t, ws, text)
		if _, _, err := ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("%q: %v", text, err)
		}
	}
	ws := s.socket(t)
	// may fail halfway
	_ = ws.Write(t.Context(), websocket.MessageText, []byte(`{"method":"`+strings.Repeat("x", 5<<20)+`"}`))
	if _, _, err := ws.Read(t.Context()); err == nil {
		t.Error("5 MiB were accepted")
	}
}

type Odd struct{}

func (*Odd) Many(parts ...string) {}

type Odder struct{}

func (*Odder) Two() (int, string) { return 0, "" }

type Oddest struct{}

func (*Oddest) Callback(func()) {}

func TestNewRegistry_UnsupportedMethods_AreRefused(t *testing.T) {
	for _, s := range []any{&Odd{}, &Odder{}, &Oddest{}, Odd{}, nil, (*CalcAPI)(nil), 7} {
		if _, err := serve.NewRegistry(s); err == nil {
			t.Errorf("%T was accepted", s)
		}
	}
	if _, err := serve.NewRegistry(&CalcAPI{}, &CalcAPI{}); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("twice the same: %v", err)
	}
	r, err := serve.NewRegistry(&CalcAPI{})
	const want = "CalcAPI.Add CalcAPI.Break CalcAPI.Fail CalcAPI.Infinite CalcAPI.Join CalcAPI.Nothing " +
		"CalcAPI.Refuse CalcAPI.Wait"
	if err != nil || strings.Join(r.Names(), " ") != want {
		t.Errorf("names %v, %v", r.Names(), err)
	}
}
