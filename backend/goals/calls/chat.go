package calls

import (
	"context"

	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/chats"
)

// ChatAPI begins, lists and continues chats. An id may be a unique part of six characters or more. What changes arrives
// as events: chat, chat_message, chat_part and chat_delta.
type ChatAPI struct {
	chats *chats.Service
	apiBase
}

// NewChatAPI makes the API; ctx is the program's life.
func NewChatAPI(ctx context.Context, s *chats.Service) *ChatAPI {
	return &ChatAPI{chats: s, apiBase: apiBase{ctx}}
}

// List lists chats, the one that changed last first.
func (c *ChatAPI) List(in api.ChatFilter) (out api.ChatList, err error) {
	defer c.recoverProblem(&err)
	return c.chats.List(c.ctx, in)
}

// New begins a chat without messages.
func (c *ChatAPI) New(in api.NewChat) (out chat.Chat, err error) {
	defer c.recoverProblem(&err)
	return c.chats.New(c.ctx, in)
}

// Open reads a chat with the messages that it shows.
func (c *ChatAPI) Open(id string) (out api.OpenChat, err error) {
	defer c.recoverProblem(&err)
	return c.chats.Open(c.ctx, id)
}

// Change renames a chat, or gives it another folder, model or effort. An answer in progress keeps its own.
func (c *ChatAPI) Change(id string, in api.ChatChange) (out chat.Chat, err error) {
	defer c.recoverProblem(&err)
	return c.chats.Change(c.ctx, id, in)
}

// Delete deletes a chat with all its messages.
func (c *ChatAPI) Delete(id string) (ok bool, err error) {
	defer c.recoverProblem(&err)
	return true, c.chats.Delete(c.ctx, id)
}

// Send adds a message of the user, or an edit of one, and begins its answer.
func (c *ChatAPI) Send(in api.SendInput) (out api.Sent, err error) {
	defer c.recoverProblem(&err)
	return c.chats.Send(c.ctx, in)
}

// Regenerate writes an answer again. The old one stays as another version.
func (c *ChatAPI) Regenerate(id string, answer int64) (out api.Sent, err error) {
	defer c.recoverProblem(&err)
	return c.chats.Regenerate(c.ctx, id, answer)
}

// Stop ends the answer of a chat, and returns when it has ended. What the answer has said stays.
func (c *ChatAPI) Stop(id string) (ok bool, err error) {
	defer c.recoverProblem(&err)
	return true, c.chats.Stop(c.ctx, id)
}

// AnswerAsk allows or refuses what an answer asks before a call.
func (c *ChatAPI) AnswerAsk(id string, in api.AskAnswer) (ok bool, err error) {
	defer c.recoverProblem(&err)
	return true, c.chats.AnswerAsk(c.ctx, id, in)
}

// Show shows another version of a message, with the newest messages that follow it.
func (c *ChatAPI) Show(id string, message int64) (out api.OpenChat, err error) {
	defer c.recoverProblem(&err)
	return c.chats.Show(c.ctx, id, message)
}

// Branch begins a chat with a copy of the messages up to one of them.
func (c *ChatAPI) Branch(id string, message int64) (out chat.Chat, err error) {
	defer c.recoverProblem(&err)
	return c.chats.Branch(c.ctx, id, message)
}

// Result reads what a tool call of an answer returned.
func (c *ChatAPI) Result(id string, answer int64, call string) (out api.CallResult, err error) {
	defer c.recoverProblem(&err)
	return c.chats.Result(c.ctx, id, answer, call)
}

// ProposeGoal asks the chat's model for a goal that does what the chat is about, and tries its checks. Nothing is
// started.
func (c *ChatAPI) ProposeGoal(id string) (out api.GoalProposal, err error) {
	defer c.recoverProblem(&err)
	return c.chats.ProposeGoal(c.ctx, id)
}

// StartGoal starts a goal that the user made from a proposal, with the conversation attached as data, and notes it in
// the chat.
func (c *ChatAPI) StartGoal(id string, in goal.Request) (out api.StartOutput, err error) {
	defer c.recoverProblem(&err)
	return c.chats.StartGoal(c.ctx, id, in)
}
