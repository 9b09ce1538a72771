package browser

// turns lets the agent's calls happen one after the other, while it has the pane.
type turns struct {
	state   *state
	driver  *driver
	prompts *prompts
	popup   *popup

	agentTurn chan struct{} // one token: the agent acts
}
