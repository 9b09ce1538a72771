package app_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// Lines of a hostile agent.
const (
	hostileStart = `{"host":{"method":"initialize"}}` + "\n" +
		`{"agent":{"jsonrpc":"2.0","id":"$initialize",` +
		`"result":{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}}}}}` + "\n" +
		`{"host":{"method":"session/new"}}` + "\n" +
		`{"agent":{"jsonrpc":"2.0","id":"$session/new","result":{"sessionId":"s1"}}}` + "\n" +
		`{"host":{"method":"session/prompt"}}` + "\n"
	hostileClaim = `{"run":"touch done.txt"}
{"call":{"tool":"claim_complete","arguments":{"rationale":"x"}}}
{"agent":{"jsonrpc":"2.0","id":"$session/prompt","result":{"stopReason":"end_turn"}}}
`
)

// TestEngine_Hostile_IsBoundedAndEndsClearly: nothing that a hostile agent sends can hang the host or fill its memory.
// Each goal ends with a reason that names the agent.
func TestEngine_Hostile_IsBoundedAndEndsClearly(t *testing.T) {
	big := hostileStart + `{"agent":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` +
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"$PAD"}}}},"pad":50000000}` + "\n"
	update := func(session, id, rest string) string {
		return `{"agent":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session +
			`","update":{"sessionUpdate":"tool_call","toolCallId":"` + id + `","title":"t","kind":"read"` + rest + `}}}`
	}
	for name, c := range map[string]struct {
		scripts []string
		exit    goal.Exit
		reason  string // part of it
		act     func(p *program, id string)
		check   func(t *testing.T, events []event.Body)
	}{
		"floods updates": {
			scripts: []string{hostileStart + update("s1", "$N", "") + `,"repeat":100000}` + "\n" +
				update("s1", "o$N", `,"status":"completed"`) + `,"repeat":5000}` + "\n" + hostileClaim},
			exit: goal.Done,
		},
		"claims to be another session": {
			scripts: []string{hostileStart + update("s2", "1", `,"status":"completed"`) + "}\n" +
				`{"agent":{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s2","toolCall":` +
				`{"toolCallId":"1","kind":"execute","rawInput":{"command":"id"}},"options":[{"optionId":"a","kind":"allow_once",` +
				`"name":"A"}]}}}` + "\n" + `{"host":{"id":1,"result":{"outcome":{"outcome":"cancelled"}}}}` + "\n" + hostileClaim},
			exit: goal.Done,
			check: func(t *testing.T, events []event.Body) {
				if s := outcomeOf("agent_read", events); s.Tool != "" {
					t.Errorf("a step of another session was journaled: %+v", s)
				}
			},
		},
		"uses methods that are not offered": {
			scripts: []string{hostileStart +
				`{"agent":{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file",` +
				`"params":{"sessionId":"s1","path":"$DIR/host.txt","content":"x"}}}` + "\n" +
				`{"host":{"id":1,"error":{"code":-32601}}}` + "\n" +
				`{"agent":{"jsonrpc":"2.0","id":2,"method":"terminal/create","params":{"sessionId":"s1","command":"id"}}}` + "\n" +
				`{"host":{"id":2,"error":{"code":-32601}}}` + "\n" +
				`{"agent":{"jsonrpc":"2.0","id":3,"method":"made/up","params":{}}}` + "\n" +
				`{"host":{"id":3,"error":{"code":-32601}}}` + "\n" + hostileClaim},
			exit: goal.Done,
		},
		"says that its own step is one of our tools": {
			scripts: []string{hostileStart + strings.Replace(update("s1", "1", `,"status":"completed"`), `"title":"t"`,
				`"title":"goalpost_write_todos"`, 1) + "}\n" + hostileClaim},
			exit: goal.Done,
			check: func(t *testing.T, events []event.Body) {
				if s := outcomeOf("agent_read", events); s.Tool == "" {
					t.Error("the step is not journaled")
				}
			},
		},
		"sends a message of 50 MB at each start": {
			scripts: []string{big, big, big, big, big},
			exit:    goal.NeedsUser,
			reason:  "Claude Code ended 4 times. It sent a message of more than 10 MiB",
		},
		"prints much before it ends": {
			scripts: slices.Repeat([]string{`{"stderr":"` + strings.Repeat("x", 60000) + ` no such account"}` + "\n" +
				`{"kill":true}` + "\n"}, 4),
			exit:   goal.NeedsUser,
			reason: "x no such account",
		},
		"does not speak the protocol": {
			scripts: []string{`{"stderr":"I speak another protocol"}` + "\n" + `{"host":{"method":"initialize"}}` + "\n" +
				`{"agent":{"jsonrpc":"2.0","id":"$initialize","result":{"protocolVersion":99}}}` + "\n"},
			exit: goal.NeedsUser, reason: "uses version 99 of the protocol",
		},
		"never ends and does not stop": {
			scripts: []string{hostileStart + `{"agent":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1",` +
				`"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"on and on "}}}},"repeat":1000}` +
				"\n" + `{"hang":true}` + "\n"},
			exit: goal.AbortedByUser,
			act: func(p *program, id string) {
				p.await("text", func(e event.Event) bool { _, ok := e.Body.(*event.Delta); return ok })
				p.do("abort", p.goal.Abort, id)
			},
			check: func(t *testing.T, events []event.Body) {
				if !hasWarning(events, "did not stop in time") {
					t.Error("the user did not learn that the agent was killed")
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := startScripts(t, shapes()[0], app.Options{}, c.scripts...)
			id := p.startEngine(goal.Request{
				Objective: "be hostile",
				Options:   goal.Options{Engine: "claude"},
				Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			})
			if c.act != nil {
				c.act(p, id)
			}
			exit, reason, events := p.result(id)
			if exit != c.exit || !strings.Contains(reason, c.reason) {
				t.Errorf("%s %s", exit, reason)
			}
			if c.check != nil {
				c.check(t, events)
			}
			runtime.GC()
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.HeapAlloc > 300<<20 {
				t.Errorf("%d MB are in use", m.HeapAlloc>>20)
			}
		})
	}
}
