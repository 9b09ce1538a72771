package browser

import "time"

// Chromium throws away, without a word, what is done to a document between the
// moment at which it replaces another and its first picture. A user at a real
// screen hardly meets that moment; here their picture is older, and the machine
// may be slow. So what they do waits then, and goes to the new document.
const (
	inputHoldLimit     = time.Second            // a document that has no picture then gets its input all the same
	inputHoldAfterLoad = 250 * time.Millisecond // and one that is loaded and is nothing to be seen
)

// awaitFirstPaint waits until what the user does can reach the document: until it has
// its first picture, and until a page that was brought back is where it was.
func (u *userInput) awaitFirstPaint() {
	began := time.Now()
	for {
		u.state.mu.Lock()
		until, moved := u.state.load.holdInputUntil, u.state.changed
		if u.state.pending != nil && u.state.load.moves == 0 {
			until = began.Add(inputHoldLimit)
		}
		asked := u.prompts.noPromptCtx.Err() != nil
		u.state.mu.Unlock()
		left := time.Until(until)
		if asked || left <= 0 {
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-moved:
		case <-timer.C:
		case <-u.state.ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}
