package browser

import "sync"

// forms fills fields for the agent: with keys as a user would where that is possible.
type forms struct {
	state    *state
	activity *activity
	prompts  *prompts
	frames   *frames
	turns    *turns
	targets  *targets
	actions  *actions
	mouse    *mouse

	uploadsMu  sync.Mutex // held for no call of another part
	uploadDirs []string   // folders with copies of files for pages
}
