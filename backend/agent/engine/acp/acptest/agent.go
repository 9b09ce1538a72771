// Package acptest is an external agent for tests. It plays a transcript: the messages that the host must send, and the
// messages, commands and calls of an agent in between. The test's program itself is the agent, so that it can run in a
// sandbox.
package acptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Line is one line of a transcript. One of its fields is set.
type Line struct {
	// Host is a part of the next message of the host with this method or, in an answer, with this id. Messages with
	// another method are skipped. A string that begins with "~" matches any text that contains the rest.
	Host json.RawMessage `json:"host,omitempty"`
	// Agent is a message to send. In it, "$METHOD" is the id of the host's newest request of that method, and $DIR the
	// folder. Repeat is how often it is sent, and $N counts. $PAD is a text of Pad bytes.
	Agent  json.RawMessage `json:"agent,omitempty"`
	Repeat int             `json:"repeat,omitempty"`
	Pad    int             `json:"pad,omitempty"`
	// Run is a command for the shell.
	Run string `json:"run,omitempty"`
	// Call is a call of a tool of the host's MCP server.
	Call *Call `json:"call,omitempty"`
	// Ask is a question to the model that the host offers.
	Ask *Ask `json:"ask,omitempty"`
	// Stderr is written to standard error.
	Stderr string `json:"stderr,omitempty"`
	// Kill ends the agent as SIGKILL does.
	Kill bool `json:"kill,omitempty"`
	// Hang reads and answers nothing until the host has closed standard input.
	Hang bool `json:"hang,omitempty"`
}

// Call is a call of a tool, whose result must contain Want.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Want      string          `json:"want,omitempty"`
}

// Ask is a question to the model in OpenAI's chat protocol. The answer must have the HTTP status Status.
type Ask struct {
	Status int `json:"status"`
}

// Environment variables with the address of the model and its token.
const (
	ModelVariable = "ACPTEST_MODEL_URL"
	TokenVariable = "ACPTEST_MODEL_TOKEN"
)

// Prefix begins the file name of a program that is this agent. Its transcripts are beside the program: 1.jsonl for the
// first start, 2.jsonl for the second.
const Prefix = "acptest-"

// Main runs the agent and returns its exit status. shell runs its commands. Main writes an error to standard error.
func Main(shell func(command string) error) int {
	if err := playNext(filepath.Dir(os.Args[0]), shell); err != nil {
		fmt.Fprintln(os.Stderr, "transcript:", err)
		return 1
	}
	return 0
}

// playNext plays the transcript of this start. It counts the starts in the home folder.
func playNext(dir string, shell func(command string) error) error {
	counter := filepath.Join(os.Getenv("HOME"), ".acptest-starts")
	before, err := os.ReadFile(counter)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("count the starts: %w", err)
	}
	if err := os.WriteFile(counter, append(before, '.'), 0o600); err != nil {
		return fmt.Errorf("count the starts: %w", err)
	}
	f, err := os.Open(filepath.Join(dir, fmt.Sprintf("%d.jsonl", len(before)+1)))
	if err != nil {
		return fmt.Errorf("open the transcript: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	return Play(f, os.Stdin, os.Stdout, shell)
}

// player is an agent that plays one transcript.
type player struct {
	in    *bufio.Scanner
	out   io.Writer
	shell func(command string) error
	dir   string
	ids   map[string]json.RawMessage // of the host's newest requests, by method
	url   string                     // of the host's MCP server
	token string                     // the header for it
}

// Play plays a transcript to its end, and then waits until the host closes the pipe that in reads from.
func Play(transcript, in io.Reader, out io.Writer, shell func(command string) error) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the folder: %w", err)
	}
	p := &player{in: newLines(in), out: out, shell: shell, dir: dir, ids: map[string]json.RawMessage{}}
	lines := newLines(transcript)
	for n := 1; lines.Scan(); n++ {
		var l Line
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := p.play(l); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	return p.drain()
}

func newLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 32<<20)
	return lines
}

func (p *player) play(l Line) error {
	switch {
	case l.Host != nil:
		return p.awaitMessage(l.Host)
	case l.Agent != nil:
		return p.send(l.Agent, max(1, l.Repeat), strings.Repeat("x", l.Pad))
	case l.Run != "":
		return p.shell(l.Run)
	case l.Call != nil:
		return p.call(*l.Call)
	case l.Ask != nil:
		return p.ask(*l.Ask)
	case l.Stderr != "":
		_, err := fmt.Fprintln(os.Stderr, l.Stderr)
		return err //nolint:wrapcheck // an error of standard error itself
	case l.Kill:
		return syscall.Kill(os.Getpid(), syscall.SIGKILL) //nolint:wrapcheck // it does not return
	case l.Hang:
		return p.drain()
	}
	return errors.New("nothing to do")
}

// message holds the parts of a message that identify it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		MCPServers []struct {
			URL     string `json:"url"`
			Headers []struct{ Name, Value string }
		} `json:"mcpServers"`
	} `json:"params"`
}

// awaitMessage reads messages until one contains want.
func (p *player) awaitMessage(want json.RawMessage) error {
	var expected message
	if err := json.Unmarshal(want, &expected); err != nil {
		return fmt.Errorf("parse the expected message: %w", err)
	}
	for p.in.Scan() {
		var m message
		if err := json.Unmarshal(p.in.Bytes(), &m); err != nil {
			return fmt.Errorf("the host sent %.300s: %w", p.in.Text(), err)
		}
		if m.Method != "" && len(m.ID) > 0 {
			p.ids[m.Method] = m.ID
		}
		for _, s := range m.Params.MCPServers {
			p.url = s.URL
			for _, h := range s.Headers {
				p.token = h.Value
			}
		}
		if m.Method != expected.Method || m.Method == "" && string(m.ID) != string(expected.ID) {
			continue
		}
		var have, part any
		if err := errors.Join(json.Unmarshal(p.in.Bytes(), &have), json.Unmarshal(want, &part)); err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		if !contains(have, part) {
			return fmt.Errorf("the host sent %.3000s, want %s", p.in.Text(), want)
		}
		return nil
	}
	return fmt.Errorf("the host closed the connection before it sent %s", want)
}

// contains reports whether v has all values of part, at the same places. A text of part that begins with "~" matches
// as in Line.Host.
func contains(v, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		have, ok := v.(map[string]any)
		for name, want := range part {
			ok = ok && contains(have[name], want)
		}
		return ok
	case []any:
		have, ok := v.([]any)
		if !ok || len(have) < len(part) {
			return false
		}
		for i, want := range part {
			ok = ok && contains(have[i], want)
		}
		return ok
	case string:
		text, ok := v.(string)
		rest, within := strings.CutPrefix(part, "~")
		return ok && (text == part || within && strings.Contains(text, rest))
	}
	return v == part
}

func (p *player) send(raw json.RawMessage, times int, pad string) error {
	var packed bytes.Buffer
	if err := json.Compact(&packed, raw); err != nil {
		return fmt.Errorf("encode the message: %w", err)
	}
	text := strings.NewReplacer("$DIR", p.dir, "$PAD", pad).Replace(packed.String())
	for method, id := range p.ids {
		text = strings.ReplaceAll(text, `"$`+method+`"`, string(id))
	}
	out := bufio.NewWriter(p.out)
	for n := range times {
		if _, err := out.WriteString(strings.ReplaceAll(text, "$N", fmt.Sprint(n)) + "\n"); err != nil {
			return fmt.Errorf("send: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// drain reads until the host closes standard input.
func (p *player) drain() error {
	for p.in.Scan() { //nolint:revive // messages are not answered
	}
	return nil
}

// callTimeout is longer than the host takes for a call.
const callTimeout = 2 * time.Minute

// call calls a tool of the host over HTTP.
func (p *player) call(c Call) error {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": c.Tool, "arguments": c.Arguments},
	})
	if err != nil {
		return fmt.Errorf("call %s: %w", c.Tool, err)
	}
	status, text, err := post(p.url, p.token, body)
	if err != nil {
		return fmt.Errorf("call %s: %w", c.Tool, err)
	}
	if status != http.StatusOK || !strings.Contains(text, c.Want) {
		return fmt.Errorf("call %s: %d %s, want %q", c.Tool, status, text, c.Want)
	}
	return nil
}

// ask asks the model.
func (p *player) ask(a Ask) error {
	const body = `{"model":"relay","messages":[{"role":"user","content":"What next?"}]}`
	status, text,
		err := post(os.Getenv(ModelVariable)+"/chat/completions", "Bearer "+os.Getenv(TokenVariable), []byte(body))
	if err != nil {
		return fmt.Errorf("ask the model: %w", err)
	}
	if status != a.Status {
		return fmt.Errorf("ask the model: %d %s, want %d", status, text, a.Status)
	}
	return nil
}

// post sends a request to the host and returns the beginning of the answer.
func post(url, authorization string, body []byte) (status int, text string, err error) {
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body)) //nolint:noctx // the client has a timeout
	if err != nil {
		return 0, "", fmt.Errorf("make a request: %w", err)
	}
	r.Header.Set("Authorization", authorization)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport, Timeout: callTimeout}).Do(r)
	if err != nil {
		return 0, "", fmt.Errorf("send it: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return 0, "", fmt.Errorf("read the answer: %w", err)
	}
	return answer.StatusCode, string(b), nil
}
