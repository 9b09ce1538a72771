package faults_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// reply is a way in which a model server fails once.
type reply func(w http.ResponseWriter)

// passingReplies are failures that pass by themselves.
func passingReplies() map[string]reply {
	stream := func(text string) reply {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text)
		}
	}
	status := func(code int, header, value string) reply {
		return func(w http.ResponseWriter) {
			w.Header().Set(header, value)
			http.Error(w, `{"error":{"message":"try again"}}`, code)
		}
	}
	page := func(text string) reply {
		return func(w http.ResponseWriter) { _, _ = io.WriteString(w, text) }
	}
	const piece = `data: {"choices":[{"index":0,"delta":{"content":"I am"}}]}` + "\n\n"
	return map[string]reply{
		"cut before the headers":   hangUp(""),
		"cut in the headers":       hangUp("HTTP/1.1 200 OK\r\nContent-Ty"),
		"cut in the body":          hangUp("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + piece),
		"not HTTP":                 hangUp("SSH-2.0-OpenSSH_9.2\r\n"),
		"500":                      status(500, "X", ""),
		"502 with HTML":            status(502, "Content-Type", "text/html"),
		"503":                      status(503, "Retry-After", "1"),
		"504":                      status(504, "X", ""),
		"529":                      status(529, "X", ""),
		"408":                      status(408, "X", ""),
		"429":                      status(429, "Retry-After", "1"),
		"429 with a date":          status(429, "Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat)),
		"page of a login":          page("<html>Sign in to the Wi-Fi</html>"),
		"empty body":               stream(""),
		"garbage":                  stream("\x00\xff\x01"),
		"broken event":             stream("data: {\"choices\":[\n\n"),
		"event that is a list":     stream("data: []\n\ndata: [DONE]\n\n"),
		"stream without an end":    stream(piece),
		"error in the stream":      stream(piece + `data: {"error":{"message":"overloaded"}}` + "\n\n"),
		"line of 9 MiB":            stream("data: " + strings.Repeat("x", 9<<20)),
		"body of 70 MiB":           stream(strings.Repeat(": wait\n\n", 9<<20)),
		"compressed bomb":          serveBomb,
		"2,000 calls":              stream(manyCalls(2000)),
		"call without a name":      stream(call("", "{}")),
		"call with half arguments": stream(call("write_file", `{\"path\": \"a`)),
		"call of an unknown tool":  stream(call("Frobnicate", "{}")),
		"call with no arguments":   stream(call("write_file", "")),
	}
}

// call is a reply with one tool call.
func call(name, arguments string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function",`+
		`"function":{"name":"%s","arguments":"%s"}}]},"finish_reason":"tool_calls"}]}`, name, arguments) +
		"\n\ndata: [DONE]\n\n"
}

func manyCalls(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"c%d","type":"function",`+
			`"function":{"name":"read_file","arguments":"{}"}}]}}]}`+"\n\n", i, i)
	}
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")
	return b.String()
}

// hangUp sends bytes as they are, and closes the connection.
func hangUp(bytes string) reply {
	return func(w http.ResponseWriter) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(c, bytes)
			_ = c.Close()
		}
	}
}

// serveBomb sends 70 MiB in a few kilobytes.
func serveBomb(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	line := append(bytes.Repeat([]byte("x"), 1<<20), '\n')
	for range 70 {
		_, _ = z.Write(line)
	}
	_ = z.Close()
}

// modelFaults are the failures of model servers. Each happens once, in the middle of a goal. The lasting ones go on for
// longer than all quick tries.
func modelFaults() (list []fault) {
	for name, fails := range passingReplies() {
		for times, group := range map[int]string{1: "model, once", 3: "model, three times in a row"} {
			if times > 1 && name == "2,000 calls" {
				continue // the agent is told each time, and three turns without a call are stuck
			}
			list = append(list, fault{group, name, times > 1, func(t *testing.T) string {
				w := newWork(t, 2)
				failed := 0
				w.failWith(func(rw http.ResponseWriter, _ *http.Request, turn int) bool {
					if turn != 1 || failed == times {
						return false
					}
					failed++
					fails(rw)
					return true
				})
				return w.goalctl(t, w.runArgs()...).expect(exitDone)
			}})
		}
	}
	for _, name := range []string{
		"cut before the headers", "cut in the body", "500", "garbage", "page of a login", "429",
	} {
		fails := passingReplies()[name]
		list = append(list, fault{"model, for 75 seconds", name, true, func(t *testing.T) string {
			w := newWork(t, 2)
			var began time.Time
			w.failWith(func(rw http.ResponseWriter, _ *http.Request, turn int) bool {
				if turn == 1 && began.IsZero() {
					began = time.Now()
				}
				if turn != 1 || time.Since(began) > 75*time.Second {
					return false
				}
				fails(rw)
				return true
			})
			return w.goalctl(t, w.runArgs()...).expect(exitDone)
		}})
	}
	return append(list, lastingFaults()...)
}

// lastingFaults are the failures that only the user can end. The goal asks, and continues when they are over.
func lastingFaults() (list []fault) {
	for name, c := range map[string]struct {
		code int
		body string
	}{
		"wrong key":           {401, `{"error":{"message":"Incorrect API key provided"}}`},
		"no permission":       {403, `{"error":{"message":"no access to this model"}}`},
		"no credit":           {402, `{"error":{"message":"Insufficient balance"}}`},
		"quota is used up":    {429, `{"error":{"code":"insufficient_quota","message":"You exceeded your quota"}}`},
		"unknown model":       {404, `{"error":{"code":"model_not_found","message":"no such model"}}`},
		"refused by a policy": {400, `{"error":{"code":"content_filter","message":"filtered"}}`},
		"moved":               {307, ""},
	} {
		list = append(list, fault{
			"model, until the user acts", name, name != "wrong key" && name != "moved",
			func(t *testing.T) string {
				w := newWork(t, 2)
				isOver := false
				w.failWith(func(rw http.ResponseWriter, _ *http.Request, turn int) bool {
					if turn != 1 || isOver {
						return false
					}
					if c.code == 307 {
						rw.Header().Set("Location", "http://127.0.0.1:9/v1/chat/completions")
					}
					rw.WriteHeader(c.code)
					_, _ = io.WriteString(rw, c.body)
					return true
				})
				if problem := w.goalctl(t, w.runArgs()...).expect(exitNeedsUser); problem != "" {
					return problem
				}
				w.mu.Lock()
				isOver = true
				w.mu.Unlock()
				return w.goalctl(t, "resume", w.only(t)).expect(exitDone)
			},
		})
	}
	return list
}
