package transcript_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// turn is one answer of a provider. Empty lines separate turns. Each line of a turn is one of the following:
//
//	TOOL {arguments}   a call; the arguments are sent as they are, even if they are broken
//	> TEXT             text of the model
//	@ ORDER            what the user does while the model thinks, see command
//	! FAULT            status 429 after=30 words · cut N · hang · usage IN OUT · untold · long BYTES · raw TEXT
//	...                as the only line: the previous turn is repeated from here on
type turn struct {
	text    []string
	calls   []goal.Call
	orders  []string
	faults  []string
	forever bool
}

var toolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

func turns(b []byte) ([]turn, error) {
	var list []turn
	for part := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n\n") {
		var t turn
		for line := range strings.Lines(part) {
			line = strings.TrimRight(line, "\n")
			head, rest, _ := strings.Cut(line, " ")
			switch {
			case strings.HasPrefix(line, "#"), line == "":
			case line == "...":
				if len(list) == 0 {
					return nil, fmt.Errorf("... has no turn before it")
				}
				list[len(list)-1].forever = true
			case head == ">":
				t.text = append(t.text, rest)
			case head == "@":
				t.orders = append(t.orders, rest)
			case head == "!":
				t.faults = append(t.faults, rest)
			case toolName.MatchString(head):
				t.calls = append(t.calls, goal.Call{Tool: head, Arguments: rest})
			default:
				return nil, fmt.Errorf("not a turn's line: %q", line)
			}
		}
		if len(t.text)+len(t.calls)+len(t.orders)+len(t.faults) > 0 {
			list = append(list, t)
		}
	}
	return list, nil
}

// scriptedModels are the scripted models of a transcript behind one server.
type scriptedModels struct {
	*testing.T
	tr     *transcript
	next   map[string]int // by model, and "aside" for questions
	do     func(order string)
	expand func(string) string
	server *modeltest.Server
}

func newScriptedModels(t *testing.T, tr *transcript) *scriptedModels {
	m := &scriptedModels{T: t, tr: tr, next: map[string]int{}}
	m.server = modeltest.New(t, m.answer)
	return m
}

// answer plays the next turn of the requested model. A request without tools is an aside, from a judge, a critic or a
// reviewer.
func (sm *scriptedModels) answer(_ int, req modeltest.Request) modeltest.Answer {
	key, script := req.Model, sm.tr.models[sectionOf(req.Model)]
	if len(req.Tools) == 0 {
		key, script = "aside "+req.Model, sm.tr.asides[sectionOf(req.Model)]
	}
	if strings.HasPrefix(req.Last().Text, "The run ends here") { // the final statement
		if len(req.Tools) > 0 {
			sm.Errorf("the last account may call %q", req.Tools)
		}
		return modeltest.Say(sm.tr.comment["account"])
	}
	if limit := requestedOutput(sm.T, req); (limit > 0) != (len(req.Tools) == 0) || limit > 20_000 {
		sm.Errorf("%s may reply with %d tokens: only judges, critics and reviewers have a bound", key, limit)
	}
	if strings.HasPrefix(req.Last().Text, "The messages up to here are about to be left out") {
		a := modeltest.Say(sm.tr.comment["summary"])
		a.Usage = goal.Usage{TokensIn: int64(len(req.Body) / 4), TokensOut: 20}
		return a
	}
	n := sm.next[key]
	sm.next[key]++
	for i, t := range script {
		if i == n || t.forever && i <= n {
			return sm.play(t, req)
		}
	}
	sm.Errorf("%s was asked a turn %d that its script does not have; the last message was: %.500s", key, n+1,
		req.Last().Text)
	return modeltest.Fail(400, "the script is over")
}

// requestedOutput returns the output limit of a request, 0 if it has none.
func requestedOutput(t *testing.T, req modeltest.Request) int {
	var body struct {
		MaxTokens int `json:"max_tokens"`
	}
	if err := json.Unmarshal(req.Body, &body); err != nil {
		t.Error(err)
	}
	return body.MaxTokens
}

// provider returns the id of the provider that a section scripts.
func provider(section string) string {
	if section == "" {
		return "model"
	}
	return section
}

func sectionOf(provider string) string {
	if provider == "model" {
		return ""
	}
	return provider
}

func (sm *scriptedModels) play(t turn, req modeltest.Request) modeltest.Answer {
	for _, o := range t.orders {
		sm.do(o)
	}
	a := modeltest.Answer{Text: sm.expand(strings.Join(t.text, "\n"))}
	if sm.tr.comment["window"] != "" { // realistic numbers, so that the window fills up
		a.Usage = goal.Usage{TokensIn: int64(len(req.Body) / 4), TokensOut: 20}
	}
	for _, c := range t.calls {
		a.Calls = append(a.Calls, goal.Call{Tool: c.Tool, Arguments: sm.last(sm.expand(c.Arguments), req)})
	}
	for _, f := range t.faults {
		sm.fault(&a, sm.expand(f))
	}
	return a
}

var lastPattern = regexp.MustCompile(`\$LAST\[([^\]]*)\]`)

// last replaces $LAST[PATTERN] with the group of the pattern in the newest message that matches.
func (sm *scriptedModels) last(s string, req modeltest.Request) string {
	return lastPattern.ReplaceAllStringFunc(s, func(p string) string {
		expr := lastPattern.FindStringSubmatch(p)[1]
		for i := len(req.Messages) - 1; i >= 0; i-- {
			if found := regexp.MustCompile(expr).FindStringSubmatch(req.Messages[i].Text); len(found) == 2 {
				return found[1]
			}
		}
		sm.Errorf("no message fits %s; the last one is: %s", expr, req.Last().Text)
		return ""
	})
}

func (sm *scriptedModels) fault(a *modeltest.Answer, f string) {
	word, rest, _ := strings.Cut(f, " ")
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			sm.Errorf("fault %q: %v", f, err)
		}
		return n
	}
	switch word {
	case "status":
		code, rest, _ := strings.Cut(rest, " ")
		if after, ok := strings.CutPrefix(rest, "after="); ok {
			a.RetryAfter, rest, _ = strings.Cut(after, " ")
		}
		*a = modeltest.Answer{Status: number(code), RetryAfter: a.RetryAfter, Body: modeltest.Fail(0, rest).Body}
	case "stop":
		a.Stop = rest
	case "cut":
		a.CutAfter = number(rest)
	case "hang":
		a.Hang = true
	case "untold":
		a.Quirks.NoUsage = true
	case "long":
		a.Raw = long(a.Calls[0], number(rest))
	case "usage":
		in, out, _ := strings.Cut(rest, " ")
		a.Usage = goal.Usage{TokensIn: int64(number(in)), TokensOut: int64(number(out))}
	case "raw":
		text, err := strconv.Unquote(rest)
		if err != nil {
			sm.Errorf("fault %q: %v", f, err)
		}
		a.Raw = text
	default:
		sm.Errorf("unknown fault %q", f)
	}
}

// long returns the stream of a call in which LONG is replaced by size bytes, in large pieces.
func long(c goal.Call, size int) string {
	const piece = 4 << 20
	var b strings.Builder
	put := func(head, arguments string) { // formatting large values is slow under the race detector
		b.WriteString(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` + head + `"arguments":"`)
		b.WriteString(arguments)
		b.WriteString("\"}}]}}]}\n\n")
	}
	b.Grow(size + size/8)
	quoted := func(s string) string { q := strconv.Quote(s); return q[1 : len(q)-1] }
	filling := strings.Repeat("x", piece)
	before, after, _ := strings.Cut(c.Arguments, "LONG")
	put(`"id":"c1","type":"function","function":{"name":"`+c.Tool+`",`, quoted(before))
	for ; size > 0; size -= piece {
		put(`"function":{`, filling[:min(size, piece)])
	}
	put(`"function":{`, quoted(after))
	b.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
	return b.String()
}
