package model_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"goalpost/backend/agent/model"
)

// piped is a listener for connections in memory, which work with the time of synctest.
type piped chan net.Conn

func (p piped) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p piped) Close() error   { return nil }
func (p piped) Addr() net.Addr { return &net.TCPAddr{} }

// TestSilence_OfAServer_IsLimited: a reply that streams is never cut off, however long it takes; a server that sends
// nothing, or nothing but comments, is not waited for, and nobody calls it unreachable.
func TestSilence_OfAServer_IsLimited(t *testing.T) {
	const word, end = `data: {"choices":[{"delta":{"content":"w "}}]}` + "\n\n", "data: [DONE]\n\n"
	type part struct {
		pause time.Duration
		text  string
	}
	repeat := func(n int, p part) (all []part) {
		for range n {
			all = append(all, p)
		}
		return all
	}
	comment := part{15 * time.Second, ": processing\n\n"}
	for name, test := range map[string]struct {
		parts []part
		says  string // "" if there is a reply
		after time.Duration
	}{
		"a slow reply":            {append(repeat(60, part{100 * time.Second, word}), part{0, end}), "", 100 * time.Minute},
		"a slow start":            {[]part{{299 * time.Second, word + end}}, "", 299 * time.Second},
		"nothing":                 {[]part{{time.Hour, end}}, "sent nothing for 5 m", 5 * time.Minute},
		"nothing but its headers": {[]part{{0, ""}, {time.Hour, end}}, "sent nothing for 5 m", 5 * time.Minute},
		"nothing more":            {[]part{{0, word}, {time.Hour, end}}, "sent nothing more for 2 m", 2 * time.Minute},
		"comments, then a reply":  {append(repeat(60, comment), part{0, word + end}), "", 15 * time.Minute},
		"only comments":           {repeat(300, comment), "sent nothing for 30 m", 30 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dials := make(piped, 1)
				s := &http.Server{ReadHeaderTimeout: time.Hour, Handler: http.HandlerFunc(
					func(w http.ResponseWriter, r *http.Request) {
						_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client has gone
						w.Header().Set("Content-Type", "text/event-stream")
						for _, p := range test.parts {
							select {
							case <-r.Context().Done():
								return
							case <-time.After(p.pause):
							}
							_, _ = io.WriteString(w, p.text)
							_ = http.NewResponseController(w).Flush()
						}
					})}
				go func() { _ = s.Serve(dials) }()
				wire := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					client, server := net.Pipe()
					dials <- server
					return client, nil
				}}
				c, err := model.NewOpenAI(model.Options{
					BaseURL: "http://127.0.0.1", Model: "small", Transport: wire, Silence: model.DefaultSilence(),
				})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				_, err = c.Turn(t.Context(), turn(), nil)
				e, _ := model.AsError(err)
				switch took := time.Since(began); {
				case took != test.after, test.says == "" && err != nil:
					t.Errorf("after %s: %v", took, err)
				case test.says == "":
				case e == nil, e.Kind != model.Silent, e.Remedy() != model.Wait, !strings.Contains(err.Error(), test.says),
					strings.Contains(err.Error(), "unreachable"):
					t.Errorf("%v", err)
				}
				wire.CloseIdleConnections()
				close(dials)
				_ = s.Close()
			})
		})
	}
}
