//go:build !linux

package terminal

import (
	"errors"
	"os"
	"syscall"
)

var errUnsupported = errors.New(
	"Goalpost opens terminals on Linux only: run it on Linux, in a virtual machine or in WSL 2")

var exitSignals = []syscall.Signal{syscall.SIGHUP}

func openPTY(int, int) (master, tty *os.File, err error) { return nil, nil, errUnsupported }

func resizePTY(*os.File, int, int) error { return errUnsupported }

func readsLines(*os.File) bool { return false }

func readNow(*os.File, []byte) int { return 0 }
