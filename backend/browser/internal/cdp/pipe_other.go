//go:build !linux

package cdp

import "os"

// enlargePipe is for Linux, where a pipe holds 64 KiB by itself.
func enlargePipe(*os.File) {}
