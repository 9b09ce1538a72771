package tools

import (
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

func (r Room) mark() int64 {
	if r.Network == nil {
		return 0
	}
	return r.Network.Mark()
}

// refused says what the network refused while a program ran. Which program asked
// is not known: others of the goal run, too.
func (r Room) refused(since int64) string {
	if r.Network == nil {
		return ""
	}
	const most = 5
	list := r.Network.Refused(since)
	if len(list) == 0 {
		return ""
	}
	more := ""
	if len(list) > most {
		list, more = list[:most], "\n- and more"
	}
	return "\nRefused by the goal's network meanwhile (do not try to get around it; if the goal needs it, ask_operator):\n- " + strings.Join(list, "\n- ") + more
}
