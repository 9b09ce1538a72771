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
