package conversation

import "math"

// MaxPreview limits the line that represents a result in lists and summaries, in characters.
const MaxPreview = 160

// MaxResult limits what one call may add to the conversation, in bytes.
const MaxResult = 64 << 10

// Replies get replyShare percent of a window, or half of that if they are short. In a window below smallWindow tokens,
// they get more. A conversation that fills more than the rest is compacted to at most compactTo percent. One result may
// take resultShare percent.
const (
	replyShare        = 10
	smallReplyShare   = 20
	smallWindow       = 24_000
	compactTo         = 50
	resultShare       = 10
	minResultBytes    = 2 << 10 // in bytes, for any window
	tokensPerByte     = 0.3     // for English and code; the first turn corrects it
	minShortenedBytes = 400     // in bytes; shorter results stay as they are
)

// BytesForTokens estimates how many bytes fit into a window of the given tokens. It returns math.MaxInt for an
// unknown window.
func BytesForTokens(window int) int {
	if window <= 0 {
		return math.MaxInt
	}
	return int(float64(window) / tokensPerByte)
}

// MinWindow estimates how many tokens a window must have for the given bytes, which are sent with every turn, and a
// conversation.
func MinWindow(bytes int) int {
	return int(float64(bytes) * tokensPerByte * 100 / (100 - smallReplyShare))
}

// ShrinkableHalf returns the half of a window for messages that can be shortened. The other half is for the rest.
func ShrinkableHalf(bytes int) int { return bytes / 2 }

// MaxResultBytes limits one result in bytes, so that a few results do not fill a window of the given tokens.
func MaxResultBytes(window int) int {
	return min(MaxResult, max(minResultBytes, BytesForTokens(window)/100*resultShare))
}
