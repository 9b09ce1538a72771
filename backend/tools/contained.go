package tools

import (
	"path/filepath"
	"strings"

	"goalpost/backend/policy"
)

// program is the effect of starting a program. What it will do nobody knows; how
// much it can do, the sandbox says.
func (r Room) program() policy.Effect {
	if r.Held == policy.ReadOnly {
		return policy.Effect{Risk: policy.ReadOnly, Reason: "the sandbox lets the program change nothing"}
	}
	return policy.Effect{Risk: policy.WriteLocal, Reason: "a program may change files"}
}

// lineEffect is that of a line for a shell that was read. Where no wall holds it, it
// counts where links lead; one that is put there meanwhile is not seen.
func (r Room) lineEffect(s shellLine, line string) policy.Effect {
	e := s.effect(line, r.program().Risk)
	for i, f := range e.Deletes {
		if real, err := filepath.EvalSymlinks(filepath.Dir(f)); r.Held == "" && err == nil && filepath.IsAbs(f) {
			e.Deletes[i] = filepath.Join(real, filepath.Base(f))
		}
	}
	return e
}

// standing is the folder that a terminal of the goal is taken to be in. Where no wall
// holds it, it may be anywhere: "".
func (r Room) standing() string {
	if r.Held == "" {
		return ""
	}
	return r.Dir
}

// wantsRights are the words of programs that need rights which nobody in a sandbox has.
var wantsRights = []string{
	"no new privileges", "effective uid is not 0", "must be setuid root", "are you root?", "must be run as root", "must be superuser", "must be root", "requires superuser privilege", "not in the sudoers file",
	"Could not open lock file /var/lib/dpkg", "Permission denied: '/usr/", "EACCES: permission denied, mkdir '/usr/",
}

// rights says how to go on after a program that wanted more rights, "" after others.
func (r Room) rights(ended bool, output string) string {
	if r.Held == "" || ended {
		return ""
	}
	for _, words := range wantsRights {
		if strings.Contains(output, words) {
			return "\nNothing here gets more rights: sudo, apt and setuid programs do not work in this goal. Install below your home (a download to ~/.local/bin, pip install --user, npm with --prefix ~/.local), or ask_operator to install it for the machine."
		}
	}
	return ""
}

// moment is a place in what the sandbox tells of.
type moment struct{ network, bounds int64 }

func (r Room) mark() (m moment) {
	if r.Network != nil {
		m.network = r.Network.LogMark()
	}
	if r.Bounds != nil {
		m.bounds = r.Bounds.KillMark()
	}
	return m
}

// refused says what the network refused while a program ran, and which programs were
// ended because all took too much. Which program asked is not known: others of the
// goal run, too.
func (r Room) refused(since moment) (text string) {
	if r.Bounds != nil {
		text += listed("Ended by the sandbox meanwhile (do with less at a time; if the goal needs more, ask_operator)", r.Bounds.KilledSince(since.bounds))
	}
	if r.Network != nil {
		text += listed("Refused by the goal's network meanwhile (do not try to get around it; if the goal needs it, ask_operator)", r.Network.RefusedSince(since.network))
	}
	return text
}

// listed is a short list under its heading, "" for an empty one.
func listed(heading string, list []string) string {
	const most = 5
	if len(list) == 0 {
		return ""
	}
	more := ""
	if len(list) > most {
		list, more = list[:most], "\n- and more"
	}
	return "\n" + heading + ":\n- " + strings.Join(list, "\n- ") + more
}
