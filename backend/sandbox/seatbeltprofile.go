package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
)

// SeatbeltProfile writes the walls as a profile of macOS's sandbox-exec: everything is
// denied that is not named, and of two rules for one thing the later one counts.
// The machine's programs are read; the goal's folder, its private folder and what
// the user granted are written; out leads the proxy's port alone. It is built on
// every system and tried on none.
func SeatbeltProfile(w Spec, proxyPort int) string {
	p := profile{}
	p.say("(version 1)")
	p.say("(deny default)")
	p.say(`(import "system.sb")`)
	p.say("(allow process-fork)", "(allow process-exec)", "(allow signal (target same-sandbox))", "(allow sysctl-read)", "(allow pseudo-tty)")
	p.say("(allow file-read-metadata)")
	p.paths("allow file-read*", "subpath", "/usr", "/bin", "/sbin", "/System", "/Library", "/opt", "/Applications", "/private/etc", "/private/var/select", "/private/var/db/timezone", "/dev")
	p.paths("deny file-read*", "subpath", "/Library/Keychains", "/private/etc/ssh")
	p.paths("deny file-read*", "literal", "/private/etc/master.passwd", "/private/etc/sudoers")
	p.paths("allow file-read* process-exec", "subpath", w.Tools...)
	for _, c := range w.Caches {
		p.paths("allow file-read*", "subpath", c.From)
	}
	p.paths("allow file-read*", "subpath", append([]string{w.Dir, w.Layer}, w.Read...)...)
	p.paths("allow file-read* file-write* file-ioctl", "literal", "/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/random", "/dev/urandom")
	p.say(`(allow file-read* file-write* file-ioctl (regex #"^/dev/ttys[0-9]+$"))`)
	if !w.ReadOnly {
		p.paths("allow file-read* file-write*", "subpath", append([]string{w.Dir, filepath.Join(w.Layer, "home"), filepath.Join(w.Layer, "tmp")}, w.Write...)...)
		// There are no overlays: the real ones are not written at all.
		p.say(`(deny file-write* (regex #"/\.git/(.*/)?(hooks(/.*)?|config|config\.worktree|commondir)$"))`)
	}
	p.say(`(allow network-bind network-inbound (local ip "localhost:*"))`)
	p.say(fmt.Sprintf(`(allow network-outbound (remote ip "localhost:%d"))`, proxyPort))
	for _, port := range w.Ports {
		p.say(fmt.Sprintf(`(allow network-outbound (remote ip "localhost:%d"))`, port))
	}
	for _, socket := range w.Sockets {
		p.paths("allow network-outbound", "literal", socket)
	}
	return p.String()
}

type profile struct{ strings.Builder }

func (p *profile) say(lines ...string) {
	for _, line := range lines {
		p.WriteString(line + "\n")
	}
}

// paths writes one rule for some paths; none for none.
func (p *profile) paths(rule, kind string, paths ...string) {
	if len(paths) == 0 {
		return
	}
	p.WriteString("(" + rule)
	for _, path := range paths {
		p.WriteString(" (" + kind + " " + quoted(path) + ")")
	}
	p.WriteString(")\n")
}

// quoted is a string of the profile's language.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}
