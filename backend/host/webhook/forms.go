package webhook

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// encode returns where a message is posted, and the JSON of the form.
func (t Target) encode(m Message) (address string, body []byte, err error) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return "", nil, t.Validate()
	}
	m = m.cleaned()
	var payload any
	switch t.Form {
	case Ntfy:
		var topic string
		if u, topic, err = ntfyTopic(u); err != nil {
			return "", nil, err
		}
		payload = ntfyMessage(topic, m)
	case Slack:
		payload = slackMessage(m)
	case Teams:
		payload = teamsMessage(m)
	case Generic:
		payload = genericMessage(m)
	}
	if body, err = json.Marshal(payload); err != nil {
		return "", nil, fmt.Errorf("encode a message: %w", err)
	}
	return u.String(), body, nil
}

var topicForm = text.NewPattern(`^[-_A-Za-z0-9]{1,64}$`)

// ntfyTopic returns the address of the server and the topic. As JSON, texts cannot become headers of the request.
func ntfyTopic(u *url.URL) (server *url.URL, topic string, err error) {
	at := strings.LastIndexByte(u.Path, '/')
	topic = u.Path[at+1:]
	if !topicForm.MatchString(topic) {
		return nil, "", fault.Invalid("url", "the address has no topic of ntfy at its end",
			"give the address of the topic, such as https://ntfy.sh/TOPIC")
	}
	base := *u
	base.Path, base.RawPath = u.Path[:at+1], ""
	return &base, topic, nil
}

// ntfyMessage is a message as ntfy's JSON. Without "markdown", its text is plain.
func ntfyMessage(topic string, m Message) any {
	const usual, high = 3, 4
	priority, tag := usual, "checkered_flag"
	if m.Urgent {
		priority = high
	}
	if m.Event != Ended {
		tag = "bell"
	}
	return struct {
		Topic    string   `json:"topic"`
		Title    string   `json:"title"`
		Message  string   `json:"message"`
		Priority int      `json:"priority"`
		Tags     []string `json:"tags"`
		Click    string   `json:"click,omitempty"`
	}{topic, m.Title, m.Text, priority, []string{tag}, m.Link}
}

// breakMarkup puts an invisible space into what chat services read as a mention, a link or a function of a card.
var breakMarkup = strings.NewReplacer("@", "@\u200b", "](", "]\u200b(", "{{", "{\u200b{", "<at", "<\u200bat")

// escapeSlack escapes the characters with which Slack's mentions and links begin and end.
var escapeSlack = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slackMessage is a message for Slack's incoming webhooks.
func slackMessage(m Message) any {
	words := escapeSlack.Replace(breakMarkup.Replace(m.lines()))
	if m.Link != "" {
		words += "\n" + escapeSlack.Replace(m.Link)
	}
	return struct {
		Text   string `json:"text"`
		Mrkdwn bool   `json:"mrkdwn"`
	}{words, false}
}

// teamsMessage is a message with an Adaptive Card. Its text runs have no Markdown, unlike text blocks.
func teamsMessage(m Message) any {
	type object = map[string]any
	line := func(words, weight string) object {
		return object{
			"type":    "RichTextBlock",
			"inlines": []object{{"type": "TextRun", "text": breakMarkup.Replace(words), "weight": weight}},
		}
	}
	body := []object{line(m.Title, "Bolder")}
	for words := range strings.Lines(m.Text) {
		if words = strings.TrimSpace(words); words != "" {
			body = append(body, line(words, "Default"))
		}
	}
	card := object{
		"$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
		"type":    "AdaptiveCard",
		"version": "1.4",
		"body":    body,
	}
	if m.Link != "" {
		card["actions"] = []object{{"type": "Action.OpenUrl", "title": "Open", "url": m.Link}}
	}
	return object{"type": "message", "attachments": []object{{
		"contentType": "application/vnd.microsoft.card.adaptive",
		"contentUrl":  nil,
		"content":     card,
	}}}
}

// genericMessage is a message as docs/how-to/notifications.md describes it.
func genericMessage(m Message) any {
	return struct {
		Version int    `json:"version"`
		Event   Event  `json:"event"`
		Title   string `json:"title"`
		Text    string `json:"text"`
		Urgent  bool   `json:"urgent"`
		Goal    *Goal  `json:"goal,omitempty"`
		Asked   string `json:"asked,omitempty"`
		Waited  int    `json:"waited_seconds,omitempty"`
		Time    string `json:"time"`
		Link    string `json:"link,omitempty"`
	}{
		1, m.Event, m.Title, m.Text, m.Urgent, m.Goal, m.Asked, int(m.Waited.Seconds()),
		m.At.UTC().Format(time.RFC3339), m.Link,
	}
}
