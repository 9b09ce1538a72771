package terminal

import "unicode/utf8"

// completeUTF8Len returns the length of p without an incomplete character at its end. Bytes that are not UTF-8 are
// complete.
func completeUTF8Len(p []byte) int {
	for i := 1; i <= min(len(p), utf8.UTFMax-1); i++ {
		b := p[len(p)-i]
		if utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-i:]) {
				return len(p) - i
			}
			break
		}
	}
	return len(p)
}

// continuationLen returns the number of bytes at the start of p that continue a character from before p.
func continuationLen(p []byte) int {
	for i := range min(len(p), utf8.UTFMax-1) {
		if utf8.RuneStart(p[i]) {
			return i
		}
	}
	return 0
}
