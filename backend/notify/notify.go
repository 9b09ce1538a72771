// Package notify shows short messages on the user's desktop. Where nothing
// shows them, Open says so and why; nothing is shown in their place.
package notify

// Notification is one message. Text is plain: what looks like markup is shown as it is.
type Notification struct {
	Title string
	Text  string
	// Urgent stays until the user has seen it.
	Urgent bool
}
