package policy

import "slices"

// Effect is what a call is about to do. Its tool computes it from the arguments and from what they refer to.
type Effect struct {
	Risk    Risk     `json:"risk" ts:"Risk | ''"`
	Control bool     `json:"control,omitempty"` // a control tool: no risk applies
	Paths   []string `json:"paths,omitempty"`   // written paths, absolute
	Hosts   []string `json:"hosts,omitempty"`   // contacted hosts, loopback left out
	// deleted paths as far as the command shows: absolute, or as written if that could not be resolved
	Deletes []string `json:"deletes,omitempty"`
	// Ports are the ports of Hosts, in the same order. A port is "" or missing if it is unknown.
	Ports []string `json:"ports,omitempty"`
	// Irreversible means that the effect cannot be undone, so the user is asked.
	Irreversible bool `json:"irreversible,omitempty"`
	// Persistent means that the effect is stored in the user's own configuration and outlives the goal.
	Persistent bool `json:"persistent,omitempty"`
	// Pane is an unconfined pane that the call uses: the user's own shell, SSH, a page with the user's logins. ""
	// if none.
	Pane string `json:"pane,omitempty"`
	// Access is the part of the user's machine that the goal asks for.
	Access *MachineAccess `json:"access,omitempty"`
	// Unparsed says why it is unknown what a command line would run, "" if it is known.
	Unparsed string `json:"unparsed,omitempty"`
	// BadCertificate is the origin of a server whose invalid certificate would be accepted, "" if none.
	BadCertificate string `json:"untrusted,omitempty"`
	// Secrets are filled into the arguments before the call is executed.
	Secrets []SecretUse `json:"secrets,omitempty"`
	// CommandLine is the input of a shell, "" without a shell; Commands are the programs and arguments found in it.
	// They serve explanations and rules that always ask. The sandbox enforces the limits, not these.
	CommandLine string     `json:"-"`
	Commands    [][]string `json:"-"`
	// Script means that the agent's own script runs in a page, with the filled-in values.
	Script bool `json:"-"`
	// Program means that a program of the goal, such as a tool server, receives the arguments.
	Program bool `json:"-"`
	// Delegates means that the arguments are passed on to other calls or to another agent, and that the policy judges them
	// there. Until then, references to secrets are not resolved.
	Delegates bool `json:"-"`
	// Observed means that an external agent did it without asking, so nothing is decided; the sandbox limits it.
	Observed bool   `json:"observed,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Earlier means that the request was made before the call began, for example by a program that an earlier call left
	// running.
	Earlier bool `json:"-"`
}

// SecretUse is a secret of the user that a call refers to. It may be sent only to Hosts; without any, to every
// host.
type SecretUse struct {
	Name  string   `json:"name"`
	Hosts []string `json:"hosts,omitempty"`
}

// UnknownEffect returns the effect of a call whose effect could not be determined.
func UnknownEffect(reason string) Effect { return Effect{Risk: NetworkWrite, Reason: reason} }

// Equal reports whether two effects affect the same things: one that the user was asked about, and one about to
// happen.
func (e Effect) Equal(o Effect) bool {
	return e.Risk == o.Risk && e.Control == o.Control && e.Irreversible == o.Irreversible &&
		e.Persistent == o.Persistent && e.Pane == o.Pane && e.Unparsed == o.Unparsed && e.CommandLine == o.CommandLine &&
		e.BadCertificate == o.BadCertificate && equalAccess(e.Access, o.Access) &&
		slices.Equal(e.Paths, o.Paths) && slices.Equal(e.Hosts, o.Hosts) && slices.Equal(e.Ports, o.Ports) &&
		slices.Equal(e.Deletes, o.Deletes) && slices.Equal(e.secretNames(), o.secretNames())
}

// ReachesPrograms reports whether programs of the goal receive the arguments: as a command line, in a tool server,
// or in a file that they read.
func (e Effect) ReachesPrograms() bool { return e.CommandLine != "" || e.Program || len(e.Paths) > 0 }

// port returns the port of host i of the effect, "" if unknown.
func (e Effect) port(i int) string {
	if i < len(e.Ports) {
		return e.Ports[i]
	}
	return ""
}

func (e Effect) secretNames() []string {
	var names []string
	for _, s := range e.Secrets {
		names = append(names, s.Name)
	}
	return names
}

// Call is one call as the policy sees it.
type Call struct {
	Tool   string
	Key    string // equal for equal calls: tool and arguments
	Shown  string // equal for calls with the same preview, "" without a preview
	Effect Effect
}
