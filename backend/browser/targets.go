package browser

import "sync"

// targets finds the element that the agent names, also one whose ref is gone.
type targets struct {
	state    *state
	activity *activity
	frames   *frames

	mu   sync.Mutex   // held for no call of another part
	last lastSnapshot // what the agent was told
}
