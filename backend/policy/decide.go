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

// stricterThan says whether a is stricter than b. What is no answer is the strictest.
func (a Answer) stricterThan(b Answer) bool { return a.rank() < b.rank() }

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
	Always bool    // asked at every level: nothing but a user's word allows it
	Grant  string  // the grant that allowed what would have been asked, "" if none
	Offers []Grant // of a question: what the user may grant, once first
}

// RuleSet is what holds for every goal: the order of the questions and the rules of
// rules.json. The zero Law has no rules of the file.
type RuleSet struct{ rules []Rule }

// checkResult is what one question came to. by says which grants answer it; none
// means that it always asks.
type checkResult struct {
	answer Answer
	reason string
	by     []Scope
}

// checkFunc looks at one side of a call. An error denies.
type checkFunc func(Call, Policy) (checkResult, error)

func pass() (checkResult, error) { return checkResult{answer: Allow}, nil }

func deny(format string, a ...any) (checkResult, error) {
	return checkResult{answer: Deny, reason: fmt.Sprintf(format, a...)}, nil
}

func ask(by []Scope, format string, a ...any) (checkResult, error) {
	return checkResult{answer: Ask, reason: fmt.Sprintf(format, a...), by: by}, nil
}

// Decide asks every question; the strictest answer wins, so their order only
// decides which reason is named first: deny list → control tools → allow list →
// effect against ceiling → paths → hosts → the rules. Grants answer questions;
// they never lift a denial.
func (l RuleSet) Decide(c Call, p Policy, grants []Grant) Decision {
	p = p.WithGrants(grants)
	return combineChecks(l.checks(c), c, p, grants)
}

func (l RuleSet) checks(c Call) []checkFunc {
	if c.Effect.Control {
		return []checkFunc{checkDeniedTools}
	}
	list := []checkFunc{checkDeniedTools, checkAllowedTools, checkRiskCeiling, checkPaths, checkHosts, checkIrreversible, checkPersistent, checkDeletion, checkPayment, checkUserPane, checkUnparsedCommand, checkCertificate, checkMachineAccess, checkSecrets}
	for _, r := range l.rules {
		list = append(list, r.asCheck)
	}
	return list
}

func combineChecks(questions []checkFunc, c Call, p Policy, grants []Grant) Decision {
	d := Decision{Answer: Allow, Reason: "within " + string(p.Risk)}
	if c.Effect.Control {
		d.Reason = "a control tool"
	}
	var asked []checkResult
	var reasons []string
	for _, q := range questions {
		f := runCheck(q, c, p)
		if f.answer.stricterThan(d.Answer) {
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
		applyGrants(&d, asked, c, grants)
	}
	return d
}

// runCheck asks one question. What breaks, and what is no answer, denies.
func runCheck(q checkFunc, c Call, p Policy) (f checkResult) {
	defer func() {
		if r := recover(); r != nil {
			f = checkResult{answer: Deny, reason: fmt.Sprintf("the policy could not decide: %v", r)}
		}
	}()
	f, err := q(c, p)
	switch {
	case err != nil:
		return checkResult{answer: Deny, reason: "the policy could not decide: " + err.Error()}
	case f.answer != Allow && f.answer != Ask && f.answer != Deny:
		return checkResult{answer: Deny, reason: "the policy could not decide"}
	}
	return f
}

// applyGrants looks whether grants answer everything that is asked, and otherwise
// says what the user may grant.
func applyGrants(d *Decision, asked []checkResult, c Call, grants []Grant) {
	for _, f := range asked {
		d.Always = d.Always || len(f.by) == 0 || f.needsUser()
	}
	for _, g := range grants {
		if g.Scope == ScopeOnce && g.covers(c) {
			d.Answer, d.Reason, d.Grant = Allow, "the user allowed this call", g.ID
			return
		}
	}
	if id, ok := coveredBy(asked, c, grants); ok {
		d.Answer, d.Reason, d.Grant = Allow, "the user allowed it for this goal", id
		return
	}
	d.Offers = offeredScopes(asked, c)
}

// coveredBy says whether each finding is answered by a grant for the goal, and names the last one.
func coveredBy(asked []checkResult, c Call, grants []Grant) (id string, ok bool) {
	for _, f := range asked {
		found := false
		for _, g := range grants {
			if f.accepts(g.Scope) && g.covers(c) {
				id, found = g.ID, true
			}
		}
		if !found {
			return "", false
		}
	}
	return id, true
}

func (f checkResult) accepts(s Scope) bool {
	for _, b := range f.by {
		if b == s {
			return true
		}
	}
	return false
}

// needsUser: what runs as the user, and what is the user's own, nobody else
// gives: not the absence of everybody either.
func (f checkResult) needsUser() bool {
	return f.accepts(ScopePane) || f.accepts(ScopeSecret) || f.accepts(ScopeMachine)
}

func checkDeniedTools(c Call, p Policy) (checkResult, error) {
	if contains(p.DenyTools, c.Tool) {
		return deny("the tool %s is denied for this goal", c.Tool)
	}
	return pass()
}

func checkAllowedTools(c Call, p Policy) (checkResult, error) {
	if len(p.AllowTools) > 0 && !contains(p.AllowTools, c.Tool) {
		return deny("the tool %s is not among the tools allowed for this goal", c.Tool)
	}
	return pass()
}

func checkRiskCeiling(c Call, p Policy) (checkResult, error) {
	if !c.Effect.Risk.Exceeds(p.Risk) {
		return pass()
	}
	why := ""
	if c.Effect.Reason != "" {
		why = " (" + c.Effect.Reason + ")"
	}
	return ask(c.grantScopes(ScopeHost, ScopeCommand, ScopePath), "%s is %s%s, and this goal may do at most %s", c.Tool, c.Effect.Risk, why, p.Risk)
}

func checkPaths(c Call, p Policy) (checkResult, error) {
	for _, file := range c.Effect.Paths {
		if !p.writable(file) {
			return deny("%s is outside the goal's folder %s", file, p.Dir)
		}
	}
	return pass()
}

// checkHosts: a denied one is never contacted; an allowed one and, from network_write
// on, any other is; the rest asks.
func checkHosts(c Call, p Policy) (checkResult, error) {
	var foreign []string
	for i, h := range c.Effect.Hosts {
		port := c.Effect.port(i)
		denied, err1 := anyHost(p.DenyHosts, h, port)
		allowed, err2 := anyHost(p.AllowHosts, h, port)
		switch {
		case err1 != nil:
			return checkResult{}, err1
		case err2 != nil:
			return checkResult{}, err2
		case denied:
			return deny("the host %s is denied for this goal", withPort(h, port))
		case NetworkGet.Exceeds(p.Risk), NetworkWrite.Exceeds(p.Risk) && !allowed:
			foreign = append(foreign, withPort(h, port))
		}
	}
	if len(foreign) > 0 {
		return ask(c.grantScopes(ScopeHost, ScopeCommand), "%s is not among the hosts that this goal may contact", strings.Join(foreign, ", "))
	}
	return pass()
}

// withPort names the port where it is not a usual one.
func withPort(host, port string) string {
	if port == "" || port == "80" || port == "443" {
		return host
	}
	return net.JoinHostPort(host, port)
}

func checkIrreversible(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Irreversible {
		return ask([]Scope{ScopeHost, ScopeCommand, ScopePath}, "it cannot be undone")
	}
	return pass()
}

// checkPersistent: what other goals, which may do more than this one, will find is for the
// user to see first.
func checkPersistent(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Persistent {
		return ask(nil, "goals after this one will find it")
	}
	return pass()
}

func checkDeletion(c Call, p Policy) (checkResult, error) {
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
	return pass()
}

// inTmp says whether a path is below /tmp, by either of its names.
func inTmp(file string) bool {
	for _, name := range []string{"/tmp", "/var/tmp"} {
		if file != name && IsWithin(name, file) {
			return true
		}
	}
	return false
}

func checkPayment(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Risk == SpendsMoney {
		return ask(nil, "it may spend money")
	}
	return pass()
}

func checkUserPane(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Pane != "" {
		return ask([]Scope{ScopePane}, "the pane %s is yours and not confined: what is done there is done as you", c.Effect.Pane)
	}
	return pass()
}

// checkUnparsedCommand: a yes to a pane is none to what nobody could read there.
func checkUnparsedCommand(c Call, _ Policy) (checkResult, error) {
	switch {
	case c.Effect.Unparsed == "":
		return pass()
	case c.Effect.Pane != "":
		return ask(nil, "what it runs in the pane %s cannot be told from what is typed: %s", c.Effect.Pane, c.Effect.Unparsed)
	}
	return ask(nil, "what the line runs cannot be told beforehand: %s", c.Effect.Unparsed)
}

// checkCertificate: whoever answers for a server without a valid certificate reads what is
// sent there, so that is the user's word each time.
func checkCertificate(c Call, _ Policy) (checkResult, error) {
	if c.Effect.BadCertificate != "" {
		return ask(nil, "the certificate of %s is not valid: somebody else may answer in its place", c.Effect.BadCertificate)
	}
	return pass()
}

// grantScopes are those that answer a question about a call; a pane that is not
// confined is asked about as a whole, with all that can be reached from it.
func (c Call) grantScopes(usual ...Scope) []Scope {
	if c.Effect.Pane != "" {
		return append(usual, ScopePane)
	}
	return usual
}

// checkSecrets: a secret is used where the user said so, and never sent to a host
// that it does not belong to.
func checkSecrets(c Call, p Policy) (checkResult, error) {
	var unnamed []string
	for _, s := range c.Effect.Secrets {
		if foreign := hostsOutside(c.Effect.Hosts, s.Hosts); len(s.Hosts) > 0 && len(foreign) > 0 {
			return deny("the secret %s belongs to %s and not to %s", s.Name, strings.Join(s.Hosts, ", "), strings.Join(foreign, ", "))
		}
		if !contains(p.Secrets, s.Name) {
			unnamed = append(unnamed, s.Name)
		}
	}
	if len(unnamed) > 0 {
		return ask([]Scope{ScopeSecret}, "it fills in your secret %s, which this goal was not given", strings.Join(unnamed, ", "))
	}
	return checkUnboundSecretExposure(c, p)
}

// checkUnboundSecretExposure asks about a bound secret in a program's hands, also by a file that programs
// read: nothing but the proxy's list of hosts decides where a program sends it. What
// the user opened since the start is open to programs at every level.
func checkUnboundSecretExposure(c Call, p Policy) (checkResult, error) {
	for _, s := range c.Effect.Secrets {
		if c.Effect.Script && len(s.Hosts) > 0 {
			return ask([]Scope{ScopeSecret}, "the secret %s belongs to %s, and a script could send it to every host that its page reaches", s.Name, strings.Join(s.Hosts, ", "))
		}
	}
	if !c.Effect.ReachesPrograms() {
		return pass()
	}
	unwalled := c.Effect.Pane != "" || p.Unconfined // no proxy, and no list of hosts
	reached := p.opened
	if !NetworkGet.Exceeds(p.Risk) {
		reached = append(append([]string{}, reached...), p.AllowHosts...)
	}
	for _, s := range c.Effect.Secrets {
		if len(s.Hosts) > 0 && (unwalled || !NetworkWrite.Exceeds(p.Risk) || len(hostsOutside(reached, s.Hosts)) > 0) {
			return ask([]Scope{ScopeSecret}, "the secret %s belongs to %s, and a program could send it to every host that this goal may contact", s.Name, strings.Join(s.Hosts, ", "))
		}
	}
	return pass()
}

// hostsOutside are the hosts that are not in the list.
func hostsOutside(hosts, list []string) []string {
	var out []string
	for _, h := range hosts {
		if !contains(list, h) {
			out = append(out, h)
		}
	}
	return out
}
