package browser

// actions carries out an action of the agent, waits until the page is quiet and tells what
// changed. The agent's turn guards lastClickActivity and lastChanges, the state's mutex
// actionCount.
type actions struct {
	state    *state
	activity *activity
	prompts  *prompts
	frames   *frames
	turns    *turns
	targets  *targets

	actionCount int // counts the agent's actions
	// Of the action under way, for whoever has the turn: what its last click said about
	// the page, and what changed when that last rested.
	lastClickActivity map[*page]*frameActivity
	lastChanges       map[*page]*changes
}
