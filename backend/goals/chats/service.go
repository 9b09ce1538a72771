// Package chats answers the user's questions: conversations with a model that reads what it was given and changes
// nothing.
package chats

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/goals/models"
	"goalpost/backend/goals/panes"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/store"
)

// Service begins, lists and continues chats. All methods may be called concurrently. An id may be a unique part of six
// characters or more.
type Service struct {
	Store  *store.Store
	Config *config.Config
	Models *models.Providers
	Access *access.Rules
	Panes  *panes.Registry
	Broker *event.Broker
	Clock  runner.Clock
	Log    *slog.Logger
	Rules  policy.RuleSet
	Goals  *lifecycle.Service
	PDFs   tools.PDFReader
	// Network is the configuration of the proxies through which answers read the web.
	Network egress.Config
	// AskTimeout returns how long the user is waited for, 0 if nobody is present; what needs the user is then refused.
	AskTimeout func(context.Context) time.Duration
	// Secrets and Mask hide secrets from models.
	Secrets *secret.Vault
	Mask    *secret.Mask

	mu      sync.Mutex
	live    map[chat.ID]*answer
	closed  bool
	answers sync.WaitGroup
}

// New begins a chat without messages.
func (s *Service) New(ctx context.Context, in api.NewChat) (c chat.Chat, err error) {
	c = chat.Chat{Workspace: in.Workspace, Dir: in.Dir, Effort: in.Effort, GoalID: in.GoalID}
	if in.GoalID != "" {
		row, err := s.Store.Goals.Find(ctx, in.GoalID)
		if err != nil {
			return c, err
		}
		c.GoalID, c.Title = string(row.ID), text.SanitizeLine("About: "+row.Objective, maxTitle)
		if c.Dir == "" {
			c.Dir = row.Policy.Dir
		}
	}
	if c.Dir == "" {
		c.Dir = s.workspaceFolder(in.Workspace)
	}
	if err := s.setFolder(&c, c.Dir); err != nil {
		return c, err
	}
	if err := s.setModel(&c, in.Provider, in.Model); err != nil {
		return c, err
	}
	if err := s.setHosts(&c, in.AllowHosts); err != nil {
		return c, err
	}
	if c, err = s.Store.Chats.Create(ctx, c); err != nil {
		return c, err
	}
	s.publishChat(c)
	return c, nil
}

// workspaceFolder returns the folder of a workspace, "" if it has none.
func (s *Service) workspaceFolder(id string) string {
	if id == "" || s.Panes == nil {
		return ""
	}
	for _, w := range s.Panes.Workspaces.Get().List {
		if w.ID == id {
			return w.Folder
		}
	}
	return ""
}

// setFolder sets the folder that the chat may read. "" is none.
func (s *Service) setFolder(c *chat.Chat, dir string) (err error) {
	if c.Dir = ""; dir == "" {
		return nil
	}
	if c.Dir, err = s.Access.ValidateExistingDir(dir); err != nil {
		return err
	}
	return nil
}

// setModel sets the model that answers. Without one, it is the one of the settings when the user writes.
func (s *Service) setModel(c *chat.Chat, provider, name string) error {
	if provider == "" && name == "" {
		c.Provider, c.Model = "", ""
		return nil
	}
	p, err := s.Models.Chosen(provider, name)
	if err != nil {
		return err
	}
	c.Provider, c.Model = p.ID, p.Model
	return nil
}

const maxTitle = 80 // characters

// Change changes the head of a chat.
func (s *Service) Change(ctx context.Context, id string, in api.ChatChange) (c chat.Chat, err error) {
	if c, err = s.Store.Chats.Get(ctx, id); err != nil {
		return c, err
	}
	if in.Title != nil {
		if c.Title = text.SanitizeLine(strings.TrimSpace(*in.Title), maxTitle); c.Title == "" {
			return c, fault.Invalid("title", "the title is empty", "write one")
		}
	}
	if in.Dir != nil {
		if err := s.setFolder(&c, *in.Dir); err != nil {
			return c, err
		}
	}
	if in.Model != nil {
		provider := ""
		if in.Provider != nil {
			provider = *in.Provider
		}
		if err := s.setModel(&c, provider, *in.Model); err != nil {
			return c, err
		}
	}
	if in.Effort != nil {
		c.Effort = *in.Effort
	}
	if in.AllowHosts != nil {
		if err := s.setHosts(&c, *in.AllowHosts); err != nil {
			return c, err
		}
	}
	if err := s.Store.Chats.Save(ctx, c); err != nil {
		return c, err
	}
	s.publishChat(c)
	return s.withState(c), nil
}

// Delete deletes a chat with all its messages. An answer that is being written ends first.
func (s *Service) Delete(ctx context.Context, id string) error {
	c, err := s.Store.Chats.Get(ctx, id)
	if err != nil {
		return err
	}
	if err := s.stop(ctx, c.ID); err != nil {
		return err
	}
	if err := s.Store.Chats.Delete(ctx, c.ID); err != nil {
		return err
	}
	s.publish(&event.Chat{Chat: c, Deleted: true})
	return nil
}

const (
	defaultListed = 50
	maxExcerpt    = 160 // characters
)

// List lists chats, the one that changed last first.
func (s *Service) List(ctx context.Context, f api.ChatFilter) (out api.ChatList, err error) {
	if f.Limit <= 0 {
		f.Limit = defaultListed
	}
	list, err := s.Store.Chats.List(ctx, store.ChatQuery{
		Words: f.Query, Workspace: f.Workspace, After: chat.ID(f.After), Limit: f.Limit + 1,
	})
	if err != nil {
		return out, err
	}
	out.More = len(list) > f.Limit
	out.Chats = []api.ChatHit{}
	for _, c := range list[:min(len(list), f.Limit)] {
		out.Chats = append(out.Chats, api.ChatHit{Chat: s.withState(c.Chat), Excerpt: excerpt(c.Text, f.Query)})
	}
	return out, nil
}

// excerpt returns the part of a text around the first of the words.
func excerpt(from, words string) string {
	if from == "" {
		return ""
	}
	at := len(from)
	lower := strings.ToLower(from)
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		if i := strings.Index(lower, w); i >= 0 {
			at = min(at, i)
		}
	}
	start := max(0, min(at, len(from))-maxExcerpt/3)
	cut := strings.ToValidUTF8(from[start:], "")
	if start > 0 {
		cut = "…" + cut
	}
	return text.SanitizeLine(cut, maxExcerpt)
}

// Open reads a chat with the messages that it shows.
func (s *Service) Open(ctx context.Context, id string) (out api.OpenChat, err error) {
	c, err := s.Store.Chats.Get(ctx, id)
	if err != nil {
		return out, err
	}
	t, err := s.tree(ctx, c.ID)
	if err != nil {
		return out, err
	}
	out = api.OpenChat{Chat: s.withState(c), Messages: []chat.Message{}}
	for _, m := range t.path(t.shown) {
		out.Messages = append(out.Messages, s.view(c.ID, t, m))
	}
	return out, nil
}

// view returns a message as viewers see it. That of an answer in progress comes from the answer.
func (s *Service) view(id chat.ID, t *tree, m *store.ChatMessage) chat.Message {
	v := m.Message
	v.Versions, v.Parts = t.versions(m), []chat.Part{}
	if m.Role != chat.Assistant {
		return v
	}
	s.mu.Lock()
	a := s.live[id]
	s.mu.Unlock()
	if a != nil && a.id == m.ID {
		return a.record.view(v)
	}
	if v.State == chat.Answering && !s.isAnsweredElsewhere(id) {
		v.State = chat.Interrupted
	}
	v.Parts = chat.PartsOf(m.Entries, v.State)
	v.Text = ""
	return v
}

// isAnsweredElsewhere reports whether another process writes an answer in the chat.
func (s *Service) isAnsweredElsewhere(id chat.ID) bool {
	locked, err := s.Store.Locks.IsLocked(goal.ID(id))
	if err != nil {
		s.Log.Warn("is the chat answered?", "chat", id, "error", err)
	}
	return locked
}

// Show changes the version of a message that the chat shows, with the newest messages that follow it.
func (s *Service) Show(ctx context.Context, id string, message int64) (out api.OpenChat, err error) {
	c, t, m, err := s.find(ctx, id, message)
	if err != nil {
		return out, err
	}
	if s.isLive(c.ID) {
		return out, errAnswering()
	}
	if err := s.Store.Chats.Show(ctx, c.ID, t.newestAfter(m)); err != nil {
		return out, err
	}
	return s.Open(ctx, string(c.ID))
}

// Branch begins a chat with a copy of the messages up to one of them.
func (s *Service) Branch(ctx context.Context, id string, message int64) (c chat.Chat, err error) {
	from, t, m, err := s.find(ctx, id, message)
	if err != nil {
		return c, err
	}
	if m.State == chat.Answering {
		return c, errAnswering()
	}
	c = from
	c.From, c.Title = from.ID, text.SanitizeLine(from.Title, maxTitle)
	c.AllowHosts = nil // were allowed for the other conversation
	if c, err = s.Store.Chats.Create(ctx, c); err != nil {
		return c, err
	}
	parent := int64(0)
	for _, one := range t.path(m.ID) {
		copied := *one
		copied.Parent, copied.Usage = parent, goal.Usage{} // the money was spent once
		if copied, err = s.Store.Chats.Add(ctx, c.ID, copied); err != nil {
			return c, err
		}
		parent = copied.ID
	}
	if c, err = s.Store.Chats.Get(ctx, string(c.ID)); err == nil {
		s.publishChat(c)
	}
	return c, err
}

// Result reads what a tool call of an answer returned.
func (s *Service) Result(ctx context.Context, id string, message int64, call string) (out api.CallResult, err error) {
	_, _, m, err := s.find(ctx, id, message)
	if err != nil {
		return out, err
	}
	for _, p := range chat.PartsOf(m.Entries, m.State) {
		if p.Call != nil && p.Call.ID == call {
			out.Call = *p.Call
		}
	}
	for _, e := range m.Entries {
		if e.Message.Role == goal.ToolRole && e.Message.CallID == call {
			out.Text = goal.UnwrapEnvelope(e.Message.Text)
			return out, nil
		}
	}
	if out.Call.ID == "" {
		return out, fault.New(fault.NotFound, fmt.Sprintf("the answer has no call %q", call), "open the chat again")
	}
	return out, nil
}

// find reads a chat, its messages and one of them.
func (s *Service) find(ctx context.Context, id string, message int64) (chat.Chat, *tree, *store.ChatMessage, error) {
	c, err := s.Store.Chats.Get(ctx, id)
	if err != nil {
		return c, nil, nil, err
	}
	t, err := s.tree(ctx, c.ID)
	if err != nil {
		return c, nil, nil, err
	}
	m := t.byID[message]
	if m == nil {
		return c, nil, nil, fault.New(fault.NotFound, fmt.Sprintf("the chat has no message %d", message),
			"open the chat again")
	}
	return c, t, m, nil
}

// withState adds to a chat whether it is being answered here.
func (s *Service) withState(c chat.Chat) chat.Chat {
	c.IsAnswering = s.isLive(c.ID)
	return c
}

func (s *Service) publishChat(c chat.Chat) { s.publish(&event.Chat{Chat: s.withState(c)}) }

func (s *Service) publish(b event.Body) { s.Broker.Publish(event.Event{At: s.Clock.Now(), Body: b}) }

// Close stops all answers and waits for them.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for _, a := range s.live {
		a.cancel(&runner.Stop{Exit: goal.Interrupted, Reason: "the program was closed"})
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.answers.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for answers to end: %w", ctx.Err())
	}
}
