//go:build !linux

package cdp

import "os"

// enlargePipe does nothing outside of Linux.
func enlargePipe(*os.File) {}
