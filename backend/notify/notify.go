// Package notify shows short messages on the person's desktop. Where nothing
// shows them, Open says so and why; nothing is shown in their place.
package notify

// Note is one message. Text is plain: what looks like markup is shown as it is.
type Note struct {
	Title string
	Text  string
	// Urgent stays until the person has seen it.
	Urgent bool
}
