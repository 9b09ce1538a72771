package chromium

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"goalpost/backend/lib/fault"
)

// ErrMissing means that no Chromium is installed; the text says what to install.
var ErrMissing error = fault.Kind(fault.Unavailable, "", "no Chromium found",
	"install Chromium; terminals work without it")

// PathVariable names the environment variable that overrides the search.
const PathVariable = "GOALPOST_CHROMIUM"

// Find returns the path of the Chromium to use: the one that GOALPOST_CHROMIUM
// names, or the first of chromium, chromium-browser, google-chrome and Brave on
// the PATH. The error is ErrMissing and says what to install.
func Find() (string, error) {
	if program := os.Getenv(PathVariable); program != "" {
		path, err := exec.LookPath(program)
		if err != nil {
			return "", fmt.Errorf("%w: %s is set to %q, which is not a program (%w): correct or unset it", ErrMissing,
				PathVariable, program, err)
		}
		return path, nil
	}
	snap := ""
	for _, name := range []string{
		"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "brave-browser", "brave",
	} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if isSnap(path) {
			snap = path
			continue
		}
		return path, nil
	}
	if snap != "" {
		return "", fmt.Errorf("%w: %s is a snap, which cannot be driven over a pipe: install a browser from a package "+
			"(sudo apt install chromium, or Google Chrome's .deb) or name one with %s", ErrMissing, snap, PathVariable)
	}
	return "", fmt.Errorf("%w: install it (sudo apt install chromium) or name one with %s", ErrMissing, PathVariable)
}

// isSnap distinguishes Ubuntu's chromium-browser, which is a small script that calls the snap,
// and links into /snap from a real program: a snap does not pass descriptors 3 and 4 on.
func isSnap(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	if strings.HasPrefix(path, "/snap/") || strings.HasPrefix(real, "/snap/") || filepath.Base(real) == "snap" {
		return true
	}
	info, err := os.Stat(real)
	if err != nil || info.Size() > 16<<10 {
		return false
	}
	script, err := os.ReadFile(real)
	return err == nil && strings.Contains(string(script), "/snap/bin/chromium")
}

// FindDesktopOpener returns the desktop's program that opens files; false without a desktop.
func FindDesktopOpener() (string, bool) {
	if os.Getenv("DISPLAY")+os.Getenv("WAYLAND_DISPLAY") == "" {
		return "", false
	}
	path, err := exec.LookPath("xdg-open")
	return path, err == nil
}
