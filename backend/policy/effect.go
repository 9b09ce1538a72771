package policy

import "slices"

// Effect is what one call is about to do, computed by its tool from the
// arguments and from what it will touch.
type Effect struct {
	Risk    Risk     `json:"risk"`
	Control bool     `json:"control,omitempty"` // a control tool: no risk applies
	Paths   []string `json:"paths,omitempty"`   // written paths, absolute
	Hosts   []string `json:"hosts,omitempty"`   // contacted hosts, loopback left out
	Deletes []string `json:"deletes,omitempty"` // deleted paths as far as the line says: absolute, or as it is written where it cannot be told
	// Ports are those of Hosts, in their order; "", or none at all, where it is not known.
	Ports []string `json:"ports,omitempty"`
	// Irreversible: what is done cannot be undone, so the user is asked.
	Irreversible bool `json:"irreversible,omitempty"`
	// Lasting: it is kept for goals after this one, in the user's own configuration.
	Persistent bool `json:"lasting,omitempty"`
	// Pane is acted in and not confined: the user's own shell, SSH, a page with
	// the user's logins. "" if none.
	Pane string `json:"pane,omitempty"`
	// Access is something of the user's machine that the goal asks for.
	Access *MachineAccess `json:"access,omitempty"`
	// Unread says why nobody can tell what a line would run, "" if it can be told.
	Unparsed string `json:"unread,omitempty"`
	// Untrusted is a server whose certificate is not valid and that is trusted all
	// the same: its origin, "" if none.
	BadCertificate string `json:"untrusted,omitempty"`
	// Secrets are filled into the arguments before the call is executed.
	Secrets []SecretUse `json:"secrets,omitempty"`
	// Line is what a shell is given, "" if no shell is; Commands are the programs
	// and arguments found in it. They explain and find what always asks: the
	// kernel is the boundary, not this.
	CommandLine string     `json:"-"`
	Commands    [][]string `json:"-"`
	// Script: the agent's own script runs in a page, with whatever is filled in.
	Script bool `json:"-"`
	// Program: a program of the goal is given the arguments, as a server's tool is.
	Program bool `json:"-"`
	// Delegates: the arguments are handed on, to other calls or another agent, and judged
	// where they are used. Until then a reference to a secret stays one.
	Delegates bool   `json:"-"`
	Reason    string `json:"reason,omitempty"`
}

// SecretUse is a secret of the user that a call refers to. Hosts are those that
// it belongs to; none means that it is not bound.
type SecretUse struct {
	Name  string   `json:"name"`
	Hosts []string `json:"hosts,omitempty"`
}

// UnknownEffect is the effect of what cannot be told.
func UnknownEffect(reason string) Effect { return Effect{Risk: NetworkWrite, Reason: reason} }

// Equal says whether two effects touch the same. The user was asked about one
// and the other is about to happen.
func (e Effect) Equal(o Effect) bool {
	return e.Risk == o.Risk && e.Control == o.Control && e.Irreversible == o.Irreversible && e.Persistent == o.Persistent && e.Pane == o.Pane && e.Unparsed == o.Unparsed && e.CommandLine == o.CommandLine && e.BadCertificate == o.BadCertificate && equalAccess(e.Access, o.Access) &&
		slices.Equal(e.Paths, o.Paths) && slices.Equal(e.Hosts, o.Hosts) && slices.Equal(e.Ports, o.Ports) && slices.Equal(e.Deletes, o.Deletes) && slices.Equal(e.secretNames(), o.secretNames())
}

// ReachesPrograms says whether programs of the goal get at the arguments: a line, a server
// of tools, a file that they read.
func (e Effect) ReachesPrograms() bool { return e.CommandLine != "" || e.Program || len(e.Paths) > 0 }

// port is that of a host of the effect, "" where it is not known.
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
	Key    string // the same for calls that say the same: tool and arguments
	Shown  string // the same where the user is shown the same of it, "" where nothing is
	Effect Effect
}
