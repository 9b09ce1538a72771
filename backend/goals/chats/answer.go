package chats

import (
	"context"
	"errors"
	"strings"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// answer is an answer in progress.
type answer struct {
	id     int64
	record *record
	asks   *asks
	cancel context.CancelCauseFunc
	done   chan struct{}
	window int // of its model, in tokens; 0 if unknown
}

// begin is the state of a chat as an answer begins.
type begin struct {
	chat     chat.Chat
	provider config.Provider
	tree     *tree
	lock     *store.GoalLock
}

func errAnswering() error {
	return fault.New(fault.Conflict, "the chat is answering", "stop the answer, or wait until it ends")
}

func (s *Service) isLive(id chat.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live[id] != nil
}

// Send adds a message of the user and begins its answer, which arrives as events.
func (s *Service) Send(ctx context.Context, in api.SendInput) (out api.Sent, err error) {
	if strings.TrimSpace(in.Text) == "" && len(in.Attachments) == 0 {
		return out, fault.Invalid("text", "the message is empty", "write something, or attach something")
	}
	b, err := s.prepare(ctx, in.ChatID)
	if err != nil {
		return out, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.lock.Unlock())
		}
	}()
	parent := b.tree.shown
	if in.Replaces != 0 {
		old := b.tree.byID[in.Replaces]
		if old == nil || old.Role != chat.User {
			return out, fault.Invalid("replaces", "there is no such message of yours", "open the chat again")
		}
		parent = old.Parent
	}
	m, err := s.userMessage(ctx, b.chat, in)
	if err != nil {
		return out, err
	}
	m.Parent = parent
	if m, err = s.Store.Chats.Add(ctx, b.chat.ID, m); err != nil {
		return out, err
	}
	if b.chat.Title == "" {
		b.chat.Title = titleOf(m.Message)
		if err := s.Store.Chats.Save(ctx, b.chat); err != nil {
			return out, err
		}
	}
	if b.tree, err = s.tree(ctx, b.chat.ID); err != nil {
		return out, err
	}
	s.publish(&event.ChatMessage{ChatID: b.chat.ID, Message: s.view(b.chat.ID, b.tree, b.tree.byID[m.ID])})
	return s.launch(ctx, b, m.ID)
}

// titleOf returns the title of a chat that begins with a message.
func titleOf(m chat.Message) string {
	line := text.SanitizeLine(firstLine(m.Text), maxTitle)
	if line == "" && len(m.Attachments) > 0 {
		line = text.SanitizeLine(m.Attachments[0].Title, maxTitle)
	}
	return line
}

func firstLine(s string) string { return text.FirstLine(strings.TrimSpace(s)) }

// Regenerate writes an answer again. The old one stays as another version.
func (s *Service) Regenerate(ctx context.Context, id string, message int64) (out api.Sent, err error) {
	b, err := s.prepare(ctx, id)
	if err != nil {
		return out, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.lock.Unlock())
		}
	}()
	m := b.tree.byID[message]
	if m == nil || m.Role != chat.Assistant {
		return out, fault.New(fault.NotFound, "there is no such answer", "open the chat again")
	}
	return s.launch(ctx, b, m.Parent)
}

// prepare takes the chat's lock and finds its model.
func (s *Service) prepare(ctx context.Context, id string) (b begin, err error) {
	if b.chat, err = s.Store.Chats.Get(ctx, id); err != nil {
		return b, err
	}
	if b.provider, err = s.Models.ForChat(b.chat.Provider, b.chat.Model); err != nil {
		return b, err
	}
	switch {
	case b.provider.Kind == config.Demo:
		return b, fault.Invalid("model", "the scripted model cannot chat", "connect a model in the settings")
	case b.provider.Model == "":
		return b, fault.Invalid("model", "no model is selected", "choose a model of the provider")
	case s.isLive(b.chat.ID):
		return b, errAnswering()
	}
	b.lock, err = s.Store.Locks.LockGoal(goal.ID(b.chat.ID))
	if errors.Is(err, store.ErrGoalLocked) {
		return b, errAnswering()
	}
	if err != nil {
		return b, err
	}
	if b.tree, err = s.tree(ctx, b.chat.ID); err != nil {
		return b, errors.Join(err, b.lock.Unlock())
	}
	return b, nil
}

// launch begins the answer to a message in the background.
func (s *Service) launch(ctx context.Context, b begin, parent int64) (out api.Sent, err error) {
	added, err := s.Store.Chats.Add(ctx, b.chat.ID, store.ChatMessage{
		Parent:  parent,
		Message: chat.Message{Role: chat.Assistant, State: chat.Answering, Model: b.provider.Model},
	})
	if err != nil {
		return out, err
	}
	if b.tree, err = s.tree(ctx, b.chat.ID); err != nil {
		return out, err
	}
	m := added.Message
	m.Versions, m.Parts, m.Attachments = b.tree.versions(b.tree.byID[m.ID]), []chat.Part{}, []chat.Attachment{}
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	a := &answer{id: m.ID, asks: newAsks(), cancel: cancel, done: make(chan struct{})}
	a.record = &record{store: s.Store.Chats, publish: s.publish, chat: b.chat.ID, message: m, stream: -1}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		cancel(nil)
		return out, fault.New(fault.Unavailable, "the program is closing", "start it again")
	}
	if s.live == nil {
		s.live = map[chat.ID]*answer{}
	}
	s.live[b.chat.ID] = a
	a.record.publishMessage()
	b.chat.IsAnswering = true
	s.publish(&event.Chat{Chat: b.chat})
	s.answers.Go(func() { s.run(life, b, a) })
	return api.Sent{Message: parent, Answer: m.ID}, nil
}

// run writes an answer.
func (s *Service) run(ctx context.Context, b begin, a *answer) {
	defer close(a.done)
	defer a.cancel(nil)
	stop := s.write(ctx, b, a)
	ctx = context.WithoutCancel(ctx)
	state, problem, hint := endOf(stop)
	err := a.record.finish(ctx, state, problem, hint)
	if used := a.record.newestTurn(); used > 0 {
		err = errors.Join(err, s.Store.Chats.SaveWindow(ctx, b.chat.ID, used, a.window))
	}
	s.mu.Lock()
	delete(s.live, b.chat.ID)
	s.mu.Unlock()
	if err = errors.Join(err, b.lock.Unlock()); err != nil {
		s.Log.Error("an answer was not stored whole", "chat", b.chat.ID, "error", err)
	}
	if c, err := s.Store.Chats.Get(ctx, string(b.chat.ID)); err == nil {
		s.publishChat(c)
	}
}

// endOf returns the state of an answer that has ended, with what went wrong and what to do next.
func endOf(stop *runner.Stop) (state chat.State, problem, hint string) {
	switch stop.Exit {
	case goal.Done:
		return chat.Done, "", ""
	case goal.PausedByUser:
		return chat.Stopped, "", ""
	case goal.Interrupted:
		return chat.Interrupted, "", ""
	case goal.LimitReached:
		return chat.OutOfRounds, "", ""
	default:
		return chat.Failed, strings.TrimPrefix(stop.Reason, goal.ModelPrefix), "Try again, or choose another model."
	}
}

// write asks the model until it has answered.
func (s *Service) write(ctx context.Context, b begin, a *answer) *runner.Stop {
	session, err := s.openSession(ctx, b, a.record)
	if err != nil {
		return &runner.Stop{Exit: goal.NeedsUser, Reason: fault.Of(err).MessageWithHint()}
	}
	g := b.goalOf(session.policy)
	defer func() {
		if err := session.close(); err != nil {
			s.Log.Warn("close the tools of an answer", "chat", b.chat.ID, "error", err)
		}
	}()
	a.window = session.models.Window
	path := b.tree.path(b.tree.byID[a.id].Parent)
	messages := conversationOf(path)
	for _, m := range messages {
		g.Spent.Steps = max(g.Spent.Steps, m.Step)
	}
	return runner.AnswerUser(ctx, runner.Config{Clock: s.Clock, Log: s.Log, Rules: s.Rules}, runner.Answer{
		Goal:     g,
		Session:  session,
		System:   systemPrompt(b.chat, s.listMemory(ctx, b.chat.Dir)),
		Messages: messages,
		Rounds:   s.rounds(),
		Grants:   grantsOf(b.chat.AllowHosts),
		Asks:     &runner.Asks{Orders: a.asks, Changed: a.asks.changed, Timeout: s.askTimeout(ctx)},
		Events:   a.record,
		Evidence: evidence{path, a.record},
		Publish: func(e event.Event) {
			if d, ok := e.Body.(*event.Delta); ok {
				a.record.onDelta(d)
			}
		},
	})
}

// listMemory lists what was noted about a chat's folder.
func (s *Service) listMemory(ctx context.Context, dir string) (notes []string) {
	if dir == "" {
		return nil
	}
	list, err := s.Store.Memory.List(ctx, dir)
	if err != nil {
		s.Log.Warn("the notes about a folder cannot be read", "error", err)
	}
	for _, m := range list {
		notes = append(notes, m.Text)
	}
	return notes
}

// Stop ends the answer of a chat. What it has said stays. It returns when the answer has ended.
func (s *Service) Stop(ctx context.Context, id string) error {
	c, err := s.Store.Chats.Get(ctx, id)
	if err != nil {
		return err
	}
	return s.stop(ctx, c.ID)
}

func (s *Service) stop(ctx context.Context, id chat.ID) error {
	s.mu.Lock()
	a := s.live[id]
	s.mu.Unlock()
	if a == nil {
		return nil
	}
	a.cancel(&runner.Stop{Exit: goal.PausedByUser, Reason: "the user stopped the answer"})
	return s.Wait(ctx, a)
}

// Wait waits until an answer has ended.
func (s *Service) Wait(ctx context.Context, a *answer) error {
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// conversationOf returns the conversation of a branch as the model reads it.
func conversationOf(path []*store.ChatMessage) []goal.Message {
	var list []goal.Message
	for _, m := range path {
		entries := m.Entries
		for _, c := range openCalls(entries) { // of an answer whose process ended
			entries = append(entries, chat.Entry{Message: goal.Message{
				Role: goal.ToolRole, CallID: c.ID, Text: goal.Result{Text: notExecuted}.Envelope(),
			}})
		}
		for _, e := range entries {
			one := e.Message
			if one.Role == goal.User && m.Role == chat.User {
				for _, picture := range m.Pictures {
					if picture != nil {
						one.Images = append(one.Images, picture)
					}
				}
			}
			list = append(list, one)
		}
	}
	return list
}
