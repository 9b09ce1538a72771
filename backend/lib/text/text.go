// Package text makes text from outside short, safe to show, and recognizable as data. No other package declares
// functions for that.
package text

import (
	"errors"
	"fmt"
	"io/fs"
)

// StripPathError leaves out the name of the system call, which helps neither a user nor a model.
// The error still wraps its cause.
func StripPathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

// JoinClauses joins two parts of a sentence. Either may be empty.
func JoinClauses(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
