// Package frontend holds the built page, for the window and for serve.
package frontend

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed all:dist
var built embed.FS

// Assets is the built page with index.html at its root. Without a build of the page, as in a plain go test, it
// contains only a placeholder.
func Assets() (fs.FS, error) {
	sub, err := fs.Sub(built, "dist")
	if err != nil {
		return nil, fmt.Errorf("the built page: %w", err)
	}
	return sub, nil
}
