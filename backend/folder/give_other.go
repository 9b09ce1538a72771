//go:build !unix

package folder

import "os"

// ChownLike does nothing: on this system root's files need no other owner.
func ChownLike(*os.Root, *os.File) error { return nil }
