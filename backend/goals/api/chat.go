package api

import (
	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/policy"
)

// The types of ChatAPI.
type (
	// ChatFilter selects chats.
	ChatFilter struct {
		// Query are words, all of which the title or one message contains; "" finds all.
		Query     string `json:"query"`
		Workspace string `json:"workspace"` // "" = of every one
		Limit     int    `json:"limit"`     // 0 = 50
		After     string `json:"after"`     // the id of the last chat of the page before, "" for the first page
	}

	// ChatList is one page of chats, the one that changed last first.
	ChatList struct {
		Chats []ChatHit `json:"chats"`
		More  bool      `json:"more"`
	}

	// ChatHit is a chat with the place where the query was found.
	ChatHit struct {
		chat.Chat
		Excerpt string `json:"excerpt"` // of the message with the words, "" if the title has them or there is no query
	}

	// NewChat says how a chat begins.
	NewChat struct {
		Workspace string `json:"workspace"` // "" for none
		Dir       string `json:"dir"`       // the folder that it may read; "" is that of its workspace or goal, or none
		Provider  string `json:"provider"`  // "" = the default
		Model     string `json:"model"`     // "" = the provider's; also PROVIDER/MODEL
		Effort    string `json:"effort"`
		GoalID    string `json:"goal_id"` // "Ask about this goal": attach it to the first message
		// AllowHosts are hosts that it may read from without asking, each written out.
		AllowHosts []string `json:"allow_hosts"`
	}

	// ChatChange is what the user changes of a chat; null fields stay.
	ChatChange struct {
		Title    *string `json:"title"`
		Dir      *string `json:"dir"`
		Provider *string `json:"provider"` // changed together with Model
		Model    *string `json:"model"`
		Effort   *string `json:"effort"`
		// AllowHosts replaces the hosts that it may read from without asking.
		AllowHosts *[]string `json:"allow_hosts"`
	}

	// OpenChat is a chat with the messages that it shows, oldest first.
	OpenChat struct {
		Chat     chat.Chat      `json:"chat"`
		Messages []chat.Message `json:"messages"`
	}

	// SendInput is a message of the user.
	SendInput struct {
		ChatID      string            `json:"chat_id"`
		Text        string            `json:"text"`
		Attachments []chat.Attachment `json:"attachments"`
		// Replaces is the message of the user that this one is an edit of, 0 for a new one at the end. What followed it
		// stays, as another version.
		Replaces int64 `json:"replaces"`
	}

	// Sent has the ids of the messages that Send and Regenerate added.
	Sent struct {
		Message int64 `json:"message"` // of the user
		Answer  int64 `json:"answer"`
	}

	// AskAnswer answers what an answer asks before a call.
	AskAnswer struct {
		Request string `json:"request"`
		Allow   bool   `json:"allow"`
		ForChat bool   `json:"for_chat"` // also later addresses of the host, in this chat
	}

	// CallResult is what a tool call of an answer returned.
	CallResult struct {
		Call chat.Call `json:"call"`
		Text string    `json:"text"` // as the model read it, without the marks around what files and pages say
	}

	// GoalProposal is a goal that a model made from a chat. Nothing of it has an effect until the user starts it.
	GoalProposal struct {
		Objective  string          `json:"objective"`
		Dir        string          `json:"dir"` // "" is a new folder
		Risk       policy.Risk     `json:"risk"`
		AllowHosts []string        `json:"allow_hosts"`
		Provider   string          `json:"provider"`
		Model      string          `json:"model"`
		Checks     []ProposedCheck `json:"checks"` // each may need AllowLocal in the request
		Why        string          `json:"why"`    // of the permissions, in the model's words
		Notes      []string        `json:"notes"`  // why parts of the proposal are missing
	}

	// ProposedCheck is a check with the result of trying it.
	ProposedCheck struct {
		SuggestedCheck

		Tried *TryOutput `json:"tried"` // null if it was not tried
		Why   string     `json:"why"`   // why it was not tried, if it should have been
		// Ticked says that the check fails now, as it should, so that a pass would show something.
		Ticked bool `json:"ticked"`
	}
)
