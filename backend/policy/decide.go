package policy

import (
	"fmt"
	"net"
	"path"
	"strings"
)

// Answer is what was decided about a call.
type Answer string

// The answers, strictest first.
const (
	Deny  Answer = "deny"
	Ask   Answer = "ask"
	Allow Answer = "allow"
)

// stricter says whether a is stricter than b. What is no answer is the strictest.
func (a Answer) stricter(b Answer) bool { return a.rank() < b.rank() }

func (a Answer) rank() int {
	switch a {
	case Ask:
		return 1
	case Allow:
		return 2
	case Deny:
	}
	return 0
}

// Decision is an answer and its reason, in words for model and person.
type Decision struct {
	Answer Answer
	Reason string
	Always bool    // asked at every level: nothing but a person's word allows it
	Grant  string  // the grant that allowed what would have been asked, "" if none
	Offers []Grant // of a question: what the person may grant, once first
}

// Law is what holds for every goal: the order of the questions and the rules of
// rules.json. The zero Law has no rules of the file.
type Law struct{ rules []Rule }

// finding is what one question came to. by says which grants answer it; none
// means that it always asks.
type finding struct {
	answer Answer
	reason string
	by     []Scope
}

// question looks at one side of a call. An error denies.
type question func(Call, Policy) (finding, error)

func fine() (finding, error) { return finding{answer: Allow}, nil }

func deny(format string, a ...any) (finding, error) {
	return finding{answer: Deny, reason: fmt.Sprintf(format, a...)}, nil
}

func ask(by []Scope, format string, a ...any) (finding, error) {
	return finding{answer: Ask, reason: fmt.Sprintf(format, a...), by: by}, nil
}

// Decide asks every question; the strictest answer wins, so their order only
// decides which reason is named first: deny list → control tools → allow list →
// effect against ceiling → paths → hosts → the rules. Grants answer questions;
// they never lift a denial.
func (l Law) Decide(c Call, p Policy, grants []Grant) Decision {
	p = p.With(grants)
	return decide(l.questions(c), c, p, grants)
}

func (l Law) questions(c Call) []question {
	if c.Effect.Control {
		return []question{denyTools}
	}
	list := []question{denyTools, allowTools, ceiling, paths, hosts, undoing, lasting, deleting, paying, typing, reading, proving, reaching, filling}
	for _, r := range l.rules {
		list = append(list, r.question)
	}
	return list
}

func decide(questions []question, c Call, p Policy, grants []Grant) Decision {
	d := Decision{Answer: Allow, Reason: "within " + string(p.Risk)}
	if c.Effect.Control {
		d.Reason = "a control tool"
	}
	var asked []finding
	var reasons []string
	for _, q := range questions {
		f := answer(q, c, p)
		if f.answer.stricter(d.Answer) {
			d.Answer, reasons = f.answer, nil
		}
		if f.answer == d.Answer && f.answer != Allow && !contains(reasons, f.reason) {
			reasons = append(reasons, f.reason)
		}
		if f.answer == Ask {
			asked = append(asked, f)
		}
	}
	if d.Answer == Allow {
		return d
	}
	d.Reason = strings.Join(reasons, "; ")
	if d.Answer == Ask {
		settle(&d, asked, c, grants)
	}
	return d
}

// answer asks one question. What breaks, and what is no answer, denies.
func answer(q question, c Call, p Policy) (f finding) {
	defer func() {
		if r := recover(); r != nil {
			f = finding{answer: Deny, reason: fmt.Sprintf("the policy could not decide: %v", r)}
		}
	}()
	f, err := q(c, p)
	switch {
	case err != nil:
		return finding{answer: Deny, reason: "the policy could not decide: " + err.Error()}
	case f.answer != Allow && f.answer != Ask && f.answer != Deny:
		return finding{answer: Deny, reason: "the policy could not decide"}
	}
	return f
}

// settle looks whether grants answer everything that is asked, and otherwise
// says what the person may grant.
func settle(d *Decision, asked []finding, c Call, grants []Grant) {
	for _, f := range asked {
		d.Always = d.Always || len(f.by) == 0 || f.personal()
	}
	for _, g := range grants {
		if g.Scope == Once && g.fits(c) {
			d.Answer, d.Reason, d.Grant = Allow, "the person allowed this call", g.ID
			return
		}
	}
	if id, ok := granted(asked, c, grants); ok {
		d.Answer, d.Reason, d.Grant = Allow, "the person allowed it for this goal", id
		return
	}
	d.Offers = offers(asked, c)
}

// granted says whether each finding is answered by a grant for the goal, and names the last one.
func granted(asked []finding, c Call, grants []Grant) (id string, ok bool) {
	for _, f := range asked {
		found := false
		for _, g := range grants {
			if f.takes(g.Scope) && g.fits(c) {
				id, found = g.ID, true
			}
		}
		if !found {
			return "", false
		}
	}
	return id, true
}

func (f finding) takes(s Scope) bool {
	for _, b := range f.by {
		if b == s {
			return true
		}
	}
	return false
}

// personal: what runs as the person, and what is the person's own, nobody else
// gives: not the absence of everybody either.
func (f finding) personal() bool { return f.takes(Pane) || f.takes(Secret) || f.takes(Reach) }

func denyTools(c Call, p Policy) (finding, error) {
	if contains(p.DenyTools, c.Tool) {
		return deny("the tool %s is denied for this goal", c.Tool)
	}
	return fine()
}

func allowTools(c Call, p Policy) (finding, error) {
	if len(p.AllowTools) > 0 && !contains(p.AllowTools, c.Tool) {
		return deny("the tool %s is not among the tools allowed for this goal", c.Tool)
	}
	return fine()
}

func ceiling(c Call, p Policy) (finding, error) {
	if !c.Effect.Risk.Over(p.Risk) {
		return fine()
	}
	why := ""
	if c.Effect.Reason != "" {
		why = " (" + c.Effect.Reason + ")"
	}
	return ask(c.scopes(Host, Command, Path), "%s is %s%s, and this goal may do at most %s", c.Tool, c.Effect.Risk, why, p.Risk)
}

func paths(c Call, p Policy) (finding, error) {
	for _, file := range c.Effect.Paths {
		if !p.writable(file) {
			return deny("%s is outside the goal's folder %s", file, p.Dir)
		}
	}
	return fine()
}

// hosts: a denied one is never contacted; an allowed one and, from network_write
// on, any other is; the rest asks.
func hosts(c Call, p Policy) (finding, error) {
	var foreign []string
	for i, h := range c.Effect.Hosts {
		port := c.Effect.port(i)
		denied, err1 := anyHost(p.DenyHosts, h, port)
		allowed, err2 := anyHost(p.AllowHosts, h, port)
		switch {
		case err1 != nil:
			return finding{}, err1
		case err2 != nil:
			return finding{}, err2
		case denied:
			return deny("the host %s is denied for this goal", withPort(h, port))
		case NetworkGet.Over(p.Risk), NetworkWrite.Over(p.Risk) && !allowed:
			foreign = append(foreign, withPort(h, port))
		}
	}
	if len(foreign) > 0 {
		return ask(c.scopes(Host, Command), "%s is not among the hosts that this goal may contact", strings.Join(foreign, ", "))
	}
	return fine()
}

// withPort names the port where it is not a usual one.
func withPort(host, port string) string {
	if port == "" || port == "80" || port == "443" {
		return host
	}
	return net.JoinHostPort(host, port)
}

func undoing(c Call, _ Policy) (finding, error) {
	if c.Effect.Irreversible {
		return ask([]Scope{Host, Command, Path}, "it cannot be undone")
	}
	return fine()
}

// lasting: what other goals, which may do more than this one, will find is for the
// person to see first.
func lasting(c Call, _ Policy) (finding, error) {
	if c.Effect.Lasting {
		return ask(nil, "goals after this one will find it")
	}
	return fine()
}

func deleting(c Call, p Policy) (finding, error) {
	for _, file := range c.Effect.Deletes {
		if c.Effect.Pane != "" { // which folder, and which machine, nobody knows here
			return ask(nil, "it deletes or overwrites %s in the pane %s, which is not confined", file, c.Effect.Pane)
		}
		if !path.IsAbs(file) { // inside the walls it is the goal's own, wherever it is
			if p.Unconfined {
				return ask(nil, "it deletes %s, and nobody can tell beforehand where that is", file)
			}
			continue
		}
		if !p.writable(file) && (p.Unconfined || !inTmp(file)) { // inside the walls /tmp is the goal's own
			return ask(nil, "it deletes %s, which is outside the goal's folder", file)
		}
	}
	return fine()
}

// inTmp says whether a path is below /tmp, by either of its names.
func inTmp(file string) bool {
	for _, name := range []string{"/tmp", "/var/tmp"} {
		if file != name && Inside(name, file) {
			return true
		}
	}
	return false
}

func paying(c Call, _ Policy) (finding, error) {
	if c.Effect.Risk == SpendsMoney {
		return ask(nil, "it may spend money")
	}
	return fine()
}

func typing(c Call, _ Policy) (finding, error) {
	if c.Effect.Pane != "" {
		return ask([]Scope{Pane}, "the pane %s is yours and not confined: what is done there is done as you", c.Effect.Pane)
	}
	return fine()
}

// reading: a yes to a pane is none to what nobody could read there.
func reading(c Call, _ Policy) (finding, error) {
	switch {
	case c.Effect.Unread == "":
		return fine()
	case c.Effect.Pane != "":
		return ask(nil, "what it runs in the pane %s cannot be told from what is typed: %s", c.Effect.Pane, c.Effect.Unread)
	}
	return ask(nil, "what the line runs cannot be told beforehand: %s", c.Effect.Unread)
}

// proving: whoever answers for a server without a valid certificate reads what is
// sent there, so that is the person's word each time.
func proving(c Call, _ Policy) (finding, error) {
	if c.Effect.Untrusted != "" {
		return ask(nil, "the certificate of %s is not valid: somebody else may answer in its place", c.Effect.Untrusted)
	}
	return fine()
}

// scopes are those that answer a question about a call; a pane that is not
// confined is asked about as a whole, with all that can be reached from it.
func (c Call) scopes(usual ...Scope) []Scope {
	if c.Effect.Pane != "" {
		return append(usual, Pane)
	}
	return usual
}

// filling: a secret is used where the person said so, and never sent to a host
// that it does not belong to.
func filling(c Call, p Policy) (finding, error) {
	var unnamed []string
	for _, s := range c.Effect.Secrets {
		if foreign := outsiders(c.Effect.Hosts, s.Hosts); len(s.Hosts) > 0 && len(foreign) > 0 {
			return deny("the secret %s belongs to %s and not to %s", s.Name, strings.Join(s.Hosts, ", "), strings.Join(foreign, ", "))
		}
		if !contains(p.Secrets, s.Name) {
			unnamed = append(unnamed, s.Name)
		}
	}
	if len(unnamed) > 0 {
		return ask([]Scope{Secret}, "it fills in your secret %s, which this goal was not given", strings.Join(unnamed, ", "))
	}
	return loose(c, p)
}

// loose asks about a bound secret in a program's hands, also by a file that programs
// read: nothing but the proxy's list of hosts decides where a program sends it. What
// the person opened since the start is open to programs at every level.
func loose(c Call, p Policy) (finding, error) {
	for _, s := range c.Effect.Secrets {
		if c.Effect.Script && len(s.Hosts) > 0 {
			return ask([]Scope{Secret}, "the secret %s belongs to %s, and a script could send it to every host that its page reaches", s.Name, strings.Join(s.Hosts, ", "))
		}
	}
	if !c.Effect.ToPrograms() {
		return fine()
	}
	unwalled := c.Effect.Pane != "" || p.Unconfined // no proxy, and no list of hosts
	reached := p.opened
	if !NetworkGet.Over(p.Risk) {
		reached = append(append([]string{}, reached...), p.AllowHosts...)
	}
	for _, s := range c.Effect.Secrets {
		if len(s.Hosts) > 0 && (unwalled || !NetworkWrite.Over(p.Risk) || len(outsiders(reached, s.Hosts)) > 0) {
			return ask([]Scope{Secret}, "the secret %s belongs to %s, and a program could send it to every host that this goal may contact", s.Name, strings.Join(s.Hosts, ", "))
		}
	}
	return fine()
}

// outsiders are the hosts that are not in the list.
func outsiders(hosts, list []string) []string {
	var out []string
	for _, h := range hosts {
		if !contains(list, h) {
			out = append(out, h)
		}
	}
	return out
}
