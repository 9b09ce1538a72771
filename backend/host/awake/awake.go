// Package awake keeps the computer from suspending, and reports whether it is plugged in. If no logind runs here, Take
// returns the reason.
package awake

import (
	"io/fs"
	"os"
	"strings"
)

// Lock keeps the computer awake until it is closed, or the process ends.
type Lock struct {
	file *os.File
	// Refused is what the system does not let the lock prevent, in words; "" if it prevents everything that was wanted.
	Refused string
}

// Close lets the computer suspend again.
func (l *Lock) Close() error { return l.file.Close() } //nolint:wrapcheck // there is nothing to add

// IsPluggedIn reports whether the computer takes its power from the wall. One without a battery does.
func IsPluggedIn() bool { return isPluggedIn(os.DirFS("/sys/class/power_supply")) }

// isPluggedIn decides as systemd does: a supply that is no battery and delivers power is the wall, and without one a
// battery that empties decides. A chip may report neither, such as in a virtual machine.
func isPluggedIn(supplies fs.FS) bool {
	list, err := fs.ReadDir(supplies, ".")
	if err != nil {
		return true // this system has no batteries
	}
	isEmptying := false
	for _, one := range list {
		read := func(name string) string {
			b, _ := fs.ReadFile(supplies, one.Name()+"/"+name) // a supply without that property
			return strings.TrimSpace(string(b))
		}
		switch {
		case read("scope") == "Device": // the battery of a mouse
		case read("type") == "Battery":
			isEmptying = isEmptying || read("status") == "Discharging"
		case read("online") != "" && read("online") != "0":
			return true
		}
	}
	return !isEmptying
}
