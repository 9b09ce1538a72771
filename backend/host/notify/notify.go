// Package notify shows notifications on the user's desktop. If no service shows them, Open returns the reason.
package notify

// Notification is one message. Text is plain: markup is shown as it is.
type Notification struct {
	Title string
	Text  string
	// Urgent stays until the user has seen it.
	Urgent bool
	// Sound lets the desktop play its sound.
	Sound bool
	// Actions are its buttons, in their order. A desktop without buttons shows none.
	Actions []Action
}

// Action is one button of a notification.
type Action struct {
	Label string
	// Do is called when the user presses the button. The buttons of one notification call one of them, once.
	Do func()
	// OnClick makes a click beside the buttons do the same.
	OnClick bool
}
