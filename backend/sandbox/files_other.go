//go:build !linux

package sandbox

import (
	"io"
	"os"
)

// reader and writer keep a nil file from becoming an interface that is not nil.
func reader(f *os.File) io.Reader {
	if f == nil {
		return nil
	}
	return f
}

func writer(f *os.File) io.Writer {
	if f == nil {
		return nil
	}
	return f
}
