package browser

// reader tells the agent what is on the page and changes nothing.
type reader struct {
	state   *state
	driver  *driver
	prompts *prompts
	frames  *frames
	turns   *turns
	targets *targets

	paymentURL string // the address at which a card was asked for
}
