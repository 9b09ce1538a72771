package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// Effects computes the effect of an agent's action, by the same rules as for our own tools.
type Effects interface {
	Command(ctx context.Context, command string) (policy.Effect, error)
	// Write returns the effect of writing a file; the path is absolute.
	Write(ctx context.Context, path string) (policy.Effect, error)
}

// The agent's own tools, as the journal and the policy name them.
const (
	ToolRead  = "agent_read"
	ToolEdit  = "agent_edit"
	ToolRun   = "agent_run"
	ToolFetch = "agent_fetch"
	ToolOther = "agent_other"
)

// AgentTool is one kind of the agent's own tools, for the loop. Its calls come from the agent's permission requests, or
// were observed.
type AgentTool struct {
	session *Session
	spec    goal.ToolSpec
}

// AgentTools returns the tools that stand for the agent's own tools.
func (s *Session) AgentTools() []*AgentTool {
	var list []*AgentTool
	for _, t := range []struct{ name, words string }{
		{ToolRead, "reads files"},
		{ToolEdit, "changes files"},
		{ToolRun, "runs a program"},
		{ToolFetch, "fetches from the network"},
		{ToolOther, "uses another tool"},
	} {
		list = append(list, &AgentTool{s, goal.ToolSpec{
			Name:        t.name,
			Description: "The external agent " + t.words + ".",
			Schema:      json.RawMessage(`{"type":"object"}`),
		}})
	}
	return list
}

// Spec returns the tool's description.
func (at *AgentTool) Spec() goal.ToolSpec { return at.spec }

// Effect returns the effect of a call. If the agent does not say what the call does, the effect is unknown, so the user
// is asked.
func (at *AgentTool) Effect(ctx context.Context, args json.RawMessage) (policy.Effect, error) {
	var a callArguments
	if err := json.Unmarshal(args, &a); err != nil {
		return policy.Effect{}, fmt.Errorf("the call cannot be read: %w", err)
	}
	effect, err := at.effect(ctx, a)
	if err != nil && a.Observed { // it has already happened
		return policy.Effect{Risk: policy.ReadOnly, Observed: true, Reason: err.Error()}, nil
	}
	effect.Observed = a.Observed
	return effect, err
}

func (at *AgentTool) effect(ctx context.Context, a callArguments) (policy.Effect, error) {
	switch at.spec.Name {
	case ToolRun:
		if strings.TrimSpace(a.Command) != "" {
			return at.session.opts.Effects.Command(ctx, a.Command)
		}
	case ToolEdit:
		if len(a.Paths) > 0 {
			return at.writeEffect(ctx, a.Paths)
		}
	case ToolRead:
		if len(a.Paths) > 0 || a.Observed {
			return policy.Effect{Risk: policy.ReadOnly}, nil
		}
	case ToolFetch:
		if u, err := url.Parse(a.URL); err == nil && u.Hostname() != "" {
			return policy.Effect{Risk: policy.NetworkGet, Hosts: []string{u.Hostname()}, Ports: []string{u.Port()}}, nil
		}
	case ToolOther:
		if a.Observed {
			return policy.Effect{Risk: policy.ReadOnly}, nil
		}
	}
	return policy.Effect{
		Risk:     policy.WriteLocal,
		Unparsed: "the agent does not say what " + describeTitle(a.Title) + " does",
	}, nil
}

func describeTitle(title string) string {
	if title == "" {
		return "the call"
	}
	return fmt.Sprintf("%q", title)
}

// writeEffect combines the effects of writing several files.
func (at *AgentTool) writeEffect(ctx context.Context, paths []string) (all policy.Effect, err error) {
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(at.session.opts.Dir, p)
		}
		e, err := at.session.opts.Effects.Write(ctx, filepath.Clean(p))
		if err != nil {
			return all, err
		}
		if all.Risk == "" || e.Risk.Exceeds(all.Risk) {
			all.Risk = e.Risk
		}
		all.Paths = append(all.Paths, e.Paths...)
		all.Persistent = all.Persistent || e.Persistent
		all.Irreversible = all.Irreversible || e.Irreversible
		if e.Reason != "" {
			all.Reason = e.Reason
		}
	}
	return all, nil
}

// Show returns the file changes of a call, which the user sees besides its arguments.
func (at *AgentTool) Show(_ context.Context, c goal.Call) string {
	var a callArguments
	if json.Unmarshal([]byte(c.Arguments), &a) != nil {
		return ""
	}
	var b strings.Builder
	for _, d := range a.Changes {
		fmt.Fprintf(&b, "--- %s\n", d.Path)
		for _, part := range []struct{ mark, text string }{{"-", d.Old}, {"+", d.New}} {
			if part.text == "" {
				continue
			}
			for _, line := range strings.Split(strings.TrimSuffix(part.text, "\n"), "\n") {
				b.WriteString(part.mark + line + "\n")
			}
		}
	}
	return b.String()
}

// Do lets the agent continue with the call, and waits until it has ended.
func (at *AgentTool) Do(ctx context.Context, args json.RawMessage) goal.Result {
	s := at.session
	s.mu.Lock()
	r := s.inbox.find(at.spec.Name, string(args))
	if r == nil {
		s.mu.Unlock()
		return goal.Result{Text: "the agent no longer waits for this"}
	}
	r.started = true
	if r.ended == nil || r.isOver {
		defer s.mu.Unlock()
		return resultOf(r.toolCall)
	}
	if r.answer != nil {
		r.answer <- acp.Allowed
	}
	agent, turn := s.agent, s.turn
	s.mu.Unlock()
	if agent == nil || turn == nil {
		return goal.Result{Text: "the agent no longer waits for this"}
	}
	for {
		s.mu.Lock()
		others := s.inbox.hasOthers(r)
		output, title := r.toolCall.Output, cmp.Or(r.toolCall.Title, r.call.Tool)
		s.mu.Unlock()
		select {
		case <-r.ended:
			s.mu.Lock()
			defer s.mu.Unlock()
			return resultOf(r.toolCall)
		default:
		}
		if others { // the agent may need its answer to end this call
			s.mu.Lock()
			r.isUnawaited = true
			s.mu.Unlock()
			return goal.Result{OK: true, IsOngoing: true, Text: "still running when the agent made the next call\n" + output}
		}
		select {
		case <-r.ended:
		case <-s.changed:
		case <-s.opts.After(s.silenceLeft(true)):
			if reason := s.silenceReason(title); reason != "" {
				return s.endSilentTool(ctx, reason)
			}
		case <-turn.done: // all updates have arrived
			if turn.err != nil || agent.hasEnded() {
				return goal.Result{Text: "the agent's program ended while it ran: its outcome is unknown"}
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			return resultOf(r.toolCall)
		case <-agent.process.Done():
			return goal.Result{Text: "the agent's program ended while it ran: its outcome is unknown"}
		case <-ctx.Done():
			return goal.Result{Text: "still running when the run was stopped"}
		}
	}
}

// endSilentTool ends the agent's turn, and with it the tool. The agent continues with the next turn of the loop.
func (s *Session) endSilentTool(ctx context.Context, reason string) goal.Result {
	s.journalWarning("engine", reason+", so the host ended it")
	s.mu.Lock()
	s.inbox.addNotes("The host ended your turn: " + reason + ". Let a long-running program write its output to a file " +
		"in the background, or run it in a terminal pane.")
	s.mu.Unlock()
	s.Interrupt(ctx)
	return goal.Result{Text: reason + ". The host ended it."}
}

// find returns the oldest request of this call that has not started.
func (i *inbox) find(tool, arguments string) *request {
	for _, r := range i.requests {
		if r.isGiven && !r.started && r.call.Tool == tool && r.call.Arguments == arguments {
			return r
		}
	}
	return nil
}

func resultOf(c acp.ToolCall) goal.Result {
	text := c.Output
	if text == "" {
		text = "the agent reported no output"
	}
	return goal.Result{OK: c.Status == "completed", Text: text}
}
