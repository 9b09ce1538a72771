// Package text makes texts and errors from outside short for people and models.
package text

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Truncate cuts a text after limit characters and marks the cut.
func Truncate(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

// TruncateBytes cuts a text after at most limit bytes, at a character, and marks the cut.
func TruncateBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// Prefix returns the first bytes of what anybody may have sent, for a log.
func Prefix(s string) string {
	const limit = 120
	return strings.ToValidUTF8(s[:min(len(s), limit)], "\uFFFD")
}

// StripPathError leaves out the system call's name, which tells neither a user nor a model
// anything. The error still wraps its cause.
func StripPathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}
