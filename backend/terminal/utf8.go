package terminal

import "unicode/utf8"

// completeUTF8Len is how many bytes of p end with a whole character; a sequence that is incomplete at the end is left
// for later. Bytes that are not UTF-8 count as whole.
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

// continuationLen is how many bytes at the start of p are the rest of a character that began before p.
func continuationLen(p []byte) int {
	for i := range min(len(p), utf8.UTFMax-1) {
		if utf8.RuneStart(p[i]) {
			return i
		}
	}
	return 0
}
