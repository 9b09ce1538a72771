// Package webhook posts messages to the addresses of other services: ntfy, Slack, Teams, or any program that reads our
// JSON. The texts of a message are hostile: no form lets them become markup, mentions or fields.
package webhook

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// Form is what a service expects in a request.
type Form string

// The forms.
const (
	Ntfy    Form = "ntfy"
	Slack   Form = "slack" // also services that accept its form, such as Mattermost
	Teams   Form = "teams" // a workflow with the trigger "When a Teams webhook request is received"
	Generic Form = "generic"
)

// Forms lists the forms.
var Forms = []Form{Ntfy, Slack, Teams, Generic}

// Event is what a message is about.
type Event string

// The events. A user chooses among the first three.
const (
	NeedsYou Event = "needs_you"
	Ended    Event = "ended"
	Digest   Event = "digest"
	// Summary has what was held back during quiet hours.
	Summary Event = "summary"
	Test    Event = "test"
)

// Events lists the events that a user can choose.
var Events = []Event{NeedsYou, Ended, Digest}

// Message is what a webhook receives.
type Message struct {
	Event  Event
	Title  string
	Text   string
	Urgent bool
	Goal   *Goal // nil if it is not about one goal
	Asked  string
	Waited time.Duration // how long the user has not answered, 0 if that is new
	At     time.Time
	Link   string // "" if no address of the page is known
}

// Goal is the goal that a message is about.
type Goal struct {
	ID        string `json:"id"`
	Objective string `json:"objective"`
	Status    string `json:"status"`
}

// Target is where messages go. Its address is a secret: everyone who knows it can post there.
type Target struct {
	Form Form
	URL  string
	// PlainHTTP allows an address without encryption, on this computer or in its private network.
	PlainHTTP bool
}

// maxAddress is the length of the longest address, in bytes. The system's keyrings accept no more.
const maxAddress = 2000

// Validate refuses a target to which nothing can be sent. No error has the address.
func (t Target) Validate() error {
	if !slices.Contains(Forms, t.Form) {
		return fault.Invalid("form", fmt.Sprintf("unknown form of a webhook %.40q", t.Form),
			"use ntfy, slack, teams or generic")
	}
	u, err := url.Parse(t.URL)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || len(t.URL) > maxAddress:
		return fault.Invalid("url", "this is not the address of a webhook",
			"copy the whole address from the service; it begins with https://")
	case u.Scheme == "http" && (!t.PlainHTTP || isPublic(u.Hostname())):
		return fault.Invalid("url", "the address has no encryption, so others could read it and the messages",
			"use https://, or allow http for an address of this computer or its private network")
	}
	if t.Form == Ntfy {
		_, _, err := ntfyTopic(u)
		return err
	}
	return nil
}

// Host returns the host of the address, which is no secret; "" if there is none.
func (t Target) Host() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// isPublic reports whether a host is an IP address of the internet. Names are resolved only for a request.
func isPublic(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && !isNear(ip)
}

// isNear reports whether an IP address is that of this computer or of a private network.
func isNear(ip net.IP) bool { return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() }

// Limits of what is sent, in bytes. ntfy makes a file of a longer text.
const maxTitle, maxObjective, maxText = 200, 500, 3000

// cleaned returns the message with texts that are safe to show.
func (m Message) cleaned() Message {
	m.Title = text.SanitizeLine(m.Title, maxTitle)
	m.Text = text.TruncateBytes(text.Sanitize(m.Text), maxText)
	m.Asked = text.TruncateBytes(text.Sanitize(m.Asked), maxText)
	if m.Goal != nil {
		g := *m.Goal
		g.Objective = text.SanitizeLine(g.Objective, maxObjective)
		m.Goal = &g
	}
	return m
}

// lines returns title and text.
func (m Message) lines() string { return strings.TrimSpace(m.Title + "\n" + m.Text) }
