package browser

// targets finds the element that the agent names, also one whose ref is gone.
type targets struct {
	state    *state
	activity *activity
	frames   *frames

	lastSnapshot lastSnapshot
}
