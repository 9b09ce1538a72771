package tools

import (
	"path/filepath"
	"strings"

	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// programEffect returns the effect of starting a program. Its actions are unknown, but the sandbox limits them.
func (d Deps) programEffect() policy.Effect {
	if d.SandboxRisk == policy.ReadOnly && len(d.AllowWrite) > 0 {
		return policy.Effect{
			Risk:   policy.ReadOnly, // the user has already granted this
			Reason: "the sandbox lets the program change only " + strings.Join(d.AllowWrite, ", "),
		}
	}
	if d.SandboxRisk == policy.ReadOnly {
		return policy.Effect{Risk: policy.ReadOnly, Reason: "the sandbox does not let the program change anything"}
	}
	return policy.Effect{Risk: policy.WriteLocal, Reason: "a program may change files"}
}

// commandEffect returns the effect of an analyzed command line. Outside the sandbox, it resolves links, but cannot see
// a link that is created later.
func (d Deps) commandEffect(s commandline.Analysis, line string) policy.Effect {
	e := s.Effect(line, d.programEffect().Risk)
	if e.Risk == policy.ReadOnly && len(d.AllowWrite) > 0 {
		e.Reason = "the program can change only " + strings.Join(d.AllowWrite, ", ")
	}
	for i, f := range e.Deletes {
		if real, err := filepath.EvalSymlinks(filepath.Dir(f)); d.SandboxRisk == "" && err == nil && filepath.IsAbs(f) {
			e.Deletes[i] = filepath.Join(real, filepath.Base(f))
		}
	}
	return e
}

// assumedDir returns the folder in which a terminal of the goal is assumed to be. Outside the sandbox, it returns "",
// because the terminal may be anywhere.
func (d Deps) assumedDir() string {
	if d.SandboxRisk == "" {
		return ""
	}
	return d.Dir
}

// privilegeError lists messages of programs that need privileges which no program in a sandbox has.
var privilegeError = []string{
	"no new privileges", "effective uid is not 0", "must be setuid root", "are you root?", "must be run as root",
	"must be superuser", "must be root", "requires superuser privilege", "not in the sudoers file",
	"Could not open lock file /var/lib/dpkg", "Permission denied: '/usr/", "EACCES: permission denied, mkdir '/usr/",
}

// rootRefusal is in the messages of programs that do not run as root, such as initdb.
var rootRefusal = text.NewPattern(
	`(?i)\b(cannot|can't|can not|must not|should not|do not|don't|refus\w+ to) (be )?` +
		`(run|start|execute)\w*( \S+){0,3} as "?root|"root" execution of .* is not permitted`)

// privilegeHint returns advice after a program that needed more privileges, "" after others.
func (d Deps) privilegeHint(ended bool, output string) string {
	if d.SandboxRisk == "" || ended {
		return ""
	}
	if rootRefusal.MatchString(output) {
		return "\nThis program refuses to run as root. Run it as another user: chown -R 1000 its folder, then setpriv " +
			"--reuid 1000 --regid 1000 --clear-groups COMMAND."
	}
	for _, words := range privilegeError {
		if strings.Contains(output, words) {
			return "\nNo program here can get more privileges: sudo, apt and setuid programs do not work in this goal. " +
				"Install below your home (a download to ~/.local/bin, pip install --user, npm with --prefix ~/.local), or " +
				"ask_user to install it for the machine."
		}
	}
	return ""
}

// logMark is a position in the sandbox's logs.
type logMark struct{ network, bounds int64 }

func (d Deps) markLogs() (m logMark) {
	if d.Network != nil {
		m.network = d.Network.LogMark()
	}
	if d.Kills != nil {
		m.bounds = d.Kills.KillMark()
	}
	return m
}

// refusedSince lists the requests that were blocked and the programs that were ended while a program ran. Other
// programs of the goal run at the same time, so they may be the cause.
func (d Deps) refusedSince(since logMark) (list string) {
	if d.Kills != nil {
		list += withHeading("Ended for lack of memory or space (use less at a time; if the goal needs more, ask_user)",
			d.Kills.KilledSince(since.bounds))
	}
	if d.Network != nil {
		list += withHeading(
			"Refused by the goal's network (do not try to get around it)",
			d.Network.RefusedSince(since.network))
	}
	return list
}

// withHeading returns a short list with a heading, "" if the list is empty.
func withHeading(heading string, list []string) string {
	const maxShown = 5
	if len(list) == 0 {
		return ""
	}
	more := ""
	if len(list) > maxShown {
		list, more = list[:maxShown], "\n- and more"
	}
	return "\n" + heading + ":\n- " + strings.Join(list, "\n- ") + more
}
