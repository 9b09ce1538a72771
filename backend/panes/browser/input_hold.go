package browser

import "time"

// Chromium silently discards input for a document between the moment when it replaces another one
// and its first frame. A user at a real screen rarely meets that moment. Here frames arrive later
// and the machine may be slow, so input waits and goes to the new document.
const (
	inputHoldTimeout   = time.Second            // for a document without a first frame
	inputHoldAfterLoad = 250 * time.Millisecond // for a loaded document that is empty
)

// awaitFirstPaint waits until user input can reach the document: until it has its first frame,
// and until a restored page has its scroll position.
func (u *userInput) awaitFirstPaint() {
	began := time.Now()
	for {
		u.state.mu.Lock()
		until, changed := u.state.load.holdInputUntil, u.state.changed
		if u.state.pending != nil && u.state.load.moves == 0 {
			until = began.Add(inputHoldTimeout)
		}
		isPromptOpen := u.prompts.noPromptCtx.Err() != nil
		u.state.mu.Unlock()
		timeLeft := time.Until(until)
		if isPromptOpen || timeLeft <= 0 || u.state.ctx.Err() != nil {
			return
		}
		awaitChange(u.state.ctx, changed, timeLeft)
	}
}
