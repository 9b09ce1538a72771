// Package notify shows notifications on the user's desktop. If no service shows them, Open returns the reason.
package notify

// Notification is one message. Text is plain: markup is shown as it is.
type Notification struct {
	Title string
	Text  string
	// Urgent stays until the user has seen it.
	Urgent bool
}
