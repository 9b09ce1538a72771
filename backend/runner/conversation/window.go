package conversation

import "math"

// MaxResult bounds what one call may put into the conversation, in bytes.
const MaxResult = 64 << 10

// The size that a full window is cut down to and the share of one result, in percent, and the number of steps that are
// cut last.
const (
	shrinkAbove    = 80
	shrinkTo       = 50
	resultShare    = 10
	recentSteps    = 10
	minResultBytes = 2 << 10 // bytes, whatever the window
	tokensPerByte  = 0.3     // English and code; the first turn corrects it
	stubMinBytes   = 400     // bytes: shorter results are not worth a stub
)

// BytesForTokens estimates how many bytes a window of the given tokens holds. It returns
// math.MaxInt where the window is not known.
func BytesForTokens(window int) int {
	if window <= 0 {
		return math.MaxInt
	}
	return int(float64(window) / tokensPerByte)
}

// MinWindow estimates how many tokens a window must have for the given bytes, which are
// sent with every turn, and something beside them.
func MinWindow(bytes int) int { return int(float64(bytes) * tokensPerByte * 100 / shrinkAbove) }

// ShrinkableHalf returns the half of a window for messages that can be shortened. The other half is for what cannot.
func ShrinkableHalf(bytes int) int { return bytes / 2 }

// MaxResultBytes bounds one result in bytes, so that a few of them do not fill a window
// of the given tokens.
func MaxResultBytes(window int) int {
	return min(MaxResult, max(minResultBytes, BytesForTokens(window)/100*resultShare))
}
