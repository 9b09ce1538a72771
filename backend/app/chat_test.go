package app_test

import (
	"context"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
)

// chats returns the calls about chats.
func (p *program) chats() *calls.ChatAPI { return p.app.ChatAPI(context.Background()) }

// newChat begins a chat about a folder.
func (p *program) newChat(dir string) string {
	p.Helper()
	c, err := p.chats().New(api.NewChat{Dir: dir})
	must(p.T, err)
	return string(c.ID)
}

// send sends a message and waits for the end of its answer.
func (p *program) send(in api.SendInput) chat.Message {
	p.Helper()
	sent, err := p.chats().Send(in)
	must(p.T, err)
	return p.answered(sent.Answer)
}

// answered waits for the end of an answer.
func (p *program) answered(id int64) chat.Message {
	p.Helper()
	e := p.await("the end of the answer", func(e event.Event) bool {
		m, ok := e.Body.(*event.ChatMessage)
		return ok && m.Message.ID == id && m.Message.State != chat.Answering
	})
	m, _ := e.Body.(*event.ChatMessage)
	p.await("the end of the chat's work", func(e event.Event) bool {
		c, ok := e.Body.(*event.Chat)
		return ok && !c.Chat.IsAnswering
	})
	return m.Message
}

func (p *program) openChat(id string) api.OpenChat {
	p.Helper()
	out, err := p.chats().Open(id)
	must(p.T, err)
	return out
}

// TestChat_Message_IsAnsweredInDeltasAndStored also checks that the deltas together are the text, that the title is the
// question, and that the next answer knows the conversation.
func TestChat_Message_IsAnsweredInDeltasAndStored(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	server := p.provide(turns(modeltest.Say("It is **four** €."), modeltest.Say("Five.")))
	id := p.newChat(t.TempDir())
	sub := p.app.Events(1 << 10)
	defer sub.Close()

	m := p.send(api.SendInput{ChatID: id, Text: "How much is two and two?\nIn euros."})
	if m.State != chat.Done || len(m.Parts) != 1 || m.Parts[0].Text != "It is **four** €." || m.Usage.TokensOut == 0 {
		t.Errorf("%+v", m)
	}
	var text strings.Builder
	for e := range sub.C {
		if d, ok := e.Body.(*event.ChatDelta); ok {
			if d.Offset != text.Len() && !strings.Contains(text.String(), "€") {
				t.Errorf("a delta at %d after %q", d.Offset, text.String())
			}
			text.WriteString(d.Text)
		}
		if m, ok := e.Body.(*event.ChatMessage); ok && m.Message.State == chat.Done {
			break
		}
	}
	if text.String() != "It is **four** €." {
		t.Errorf("the deltas are %q", text.String())
	}

	p.send(api.SendInput{ChatID: id, Text: "And one more?"})
	out := p.openChat(id)
	if out.Chat.Title != "How much is two and two?" || out.Chat.Spent.TokensIn == 0 || len(out.Messages) != 4 ||
		out.Messages[3].Parts[0].Text != "Five." {
		t.Errorf("%+v", out)
	}
	request := server.Requests()[1]
	if len(request.Messages) != 4 || request.Messages[2].Role != goal.Assistant || request.Last().Text != "And one more?" {
		t.Errorf("%+v", request.Messages)
	}
}

// TestChat_Stop_KeepsTheText: the answer stops while the model is silent, and what it said stays.
func TestChat_Stop_KeepsTheText(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(func(int, modeltest.Request) modeltest.Answer {
		return modeltest.Answer{Text: "The first part", Hang: true}
	})
	id := p.newChat("")
	sent, err := p.chats().Send(api.SendInput{ChatID: id, Text: "Tell me"})
	must(t, err)
	text := ""
	p.await("all of the text", func(e event.Event) bool {
		if d, ok := e.Body.(*event.ChatDelta); ok {
			text += d.Text
		}
		return text == "The first part"
	})
	if _, err := p.chats().Send(api.SendInput{ChatID: id, Text: "More"}); api.ToProblem(err).Code != fault.Conflict {
		t.Errorf("a second answer began: %v", err)
	}
	_, err = p.chats().Stop(id)
	must(t, err)
	m := p.openChat(id).Messages[1]
	if m.ID != sent.Answer || m.State != chat.Stopped || m.Parts[0].Text != "The first part" {
		t.Errorf("%+v", m)
	}
}

// TestChat_Versions_CanBeShownAgain: an edit and a new answer stand beside the old ones, and a branch is a copy.
func TestChat_Versions_CanBeShownAgain(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		return modeltest.Say("answer " + string(rune('a'+n)) + " to " + r.Last().Text)
	})
	id := p.newChat("")
	p.send(api.SendInput{ChatID: id, Text: "one"})
	sent, err := p.chats().Regenerate(id, 2)
	must(t, err)
	if m := p.answered(sent.Answer); m.Parts[0].Text != "answer b to one" {
		t.Errorf("%+v", m)
	}
	p.send(api.SendInput{ChatID: id, Text: "edited", Replaces: 1})
	out := p.openChat(id)
	if len(out.Messages) != 2 || out.Messages[1].Parts[0].Text != "answer c to edited" ||
		len(out.Messages[0].Versions) != 2 || out.Messages[0].Versions[0] != 1 {
		t.Errorf("%+v", out.Messages)
	}
	out, err = p.chats().Show(id, 1)
	must(t, err)
	if len(out.Messages) != 2 || out.Messages[1].Parts[0].Text != "answer b to one" || len(out.Messages[1].Versions) != 2 {
		t.Errorf("%+v", out.Messages)
	}
	branch, err := p.chats().Branch(id, 2)
	must(t, err)
	copied := p.openChat(string(branch.ID))
	if len(copied.Messages) != 2 || copied.Messages[1].Parts[0].Text != "answer a to one" ||
		string(copied.Chat.From) != id || copied.Chat.Spent.TokensIn != 0 {
		t.Errorf("%+v", copied)
	}
}

func TestChat_List_FindsRenamesAndDeletes(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(modeltest.Say("The Answer is in cart.go, 100 % sure")))
	id := p.newChat("")
	p.send(api.SendInput{ChatID: id, Text: "Where is it?"})
	find := func(query string) int {
		t.Helper()
		out, err := p.chats().List(api.ChatFilter{Query: query})
		must(t, err)
		return len(out.Chats)
	}
	for query, want := range map[string]int{"": 1, "WHERE": 1, "answer 100 %": 1, "answer missing": 0, "_": 0} {
		if got := find(query); got != want {
			t.Errorf("%q finds %d chats", query, got)
		}
	}
	title := "The cart"
	if c, err := p.chats().Change(id, api.ChatChange{Title: &title}); err != nil || c.Title != title || find("cart") != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := p.chats().Delete(id); err != nil || find("") != 0 {
		t.Errorf("%v", err)
	}
	if _, err := p.chats().Open(id); api.ToProblem(err).Code != fault.NotFound {
		t.Errorf("%v", err)
	}
}
