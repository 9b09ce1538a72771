package policy

import (
	"cmp"
	"net"
	"path"
	"slices"
	"strings"
)

func checkDeniedTools(c Call, p Policy) (checkResult, error) {
	if slices.Contains(p.DenyTools, c.Tool) {
		return denyRule("the tool %s is denied for this goal", c.Tool)
	}
	return passRule()
}

func checkAllowedTools(c Call, p Policy) (checkResult, error) {
	if len(p.AllowTools) > 0 && !slices.Contains(p.AllowTools, c.Tool) {
		return denyRule("the tool %s is not among the tools allowed for this goal", c.Tool)
	}
	return passRule()
}

// riskNeed maps a risk level to what a call of it needs, as an object.
var riskNeed = map[Risk]string{
	ReadOnly:     "to read",
	WriteLocal:   "to change files",
	NetworkGet:   "network access",
	NetworkWrite: "to send data",
	SpendsMoney:  "to spend money",
}

// riskCeiling maps a risk level to what a goal of it may do, as a predicate.
var riskCeiling = map[Risk]string{
	ReadOnly:     "may only read",
	WriteLocal:   "may only change local files",
	NetworkGet:   "may only read from the network",
	NetworkWrite: "may send data but not spend money",
	SpendsMoney:  "may spend money",
}

// riskActivity maps a risk level to what it covers, as a noun phrase.
var riskActivity = map[Risk]string{
	ReadOnly:     "reading",
	WriteLocal:   "changing local files",
	NetworkGet:   "reading from the network",
	NetworkWrite: "sending data",
	SpendsMoney:  "spending money",
}

func (r Risk) activity() string { return cmp.Or(riskActivity[r], string(r)) }

// riskActivityAt maps a risk level to what it covers at a host, without the host.
var riskActivityAt = map[Risk]string{
	NetworkGet:   "reading from",
	NetworkWrite: "sending data to",
	SpendsMoney:  "spending money at",
}

func (r Risk) activityAt() string { return cmp.Or(riskActivityAt[r], "contacting") }

func checkRiskCeiling(c Call, p Policy) (checkResult, error) {
	if !c.Effect.Risk.Exceeds(p.Risk) {
		return passRule()
	}
	why := ""
	if c.Effect.Reason != "" {
		why = " (" + c.Effect.Reason + ")"
	}
	return askRule(c.grantScopes(ScopeHost, ScopeCommand, ScopePath), "it needs %s%s; this goal %s",
		cmp.Or(riskNeed[c.Effect.Risk], string(c.Effect.Risk)), why,
		cmp.Or(riskCeiling[p.Risk], "may do at most "+string(p.Risk)))
}

func checkPaths(c Call, p Policy) (checkResult, error) {
	for _, file := range c.Effect.Paths {
		if p.isOutsideWork(file) {
			return denyRule("%s: %s", file, p.RefuseOutsideWork())
		}
		if !p.isWritable(file) {
			return denyRule("%s is outside the goal's folder %s", file, p.Dir)
		}
	}
	return passRule()
}

// checkHosts denies denied hosts, allows allowed ones and, from network_write on, all others. It asks about the
// rest.
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
			return denyRule("the host %s is denied for this goal", withPort(h, port))
		case NetworkGet.Exceeds(p.Risk), NetworkWrite.Exceeds(p.Risk) && !allowed:
			foreign = append(foreign, withPort(h, port))
		}
	}
	if len(foreign) > 0 {
		return askRule(c.grantScopes(ScopeHost, ScopeCommand), "%s is not among the hosts that this goal may contact",
			strings.Join(foreign, ", "))
	}
	return passRule()
}

// withPort adds the port unless it is a default one.
func withPort(host, port string) string {
	if port == "" || port == "80" || port == "443" {
		return host
	}
	return net.JoinHostPort(host, port)
}

func checkIrreversible(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Irreversible {
		return askRule([]Scope{ScopeHost, ScopeCommand, ScopePath}, "it cannot be undone")
	}
	return passRule()
}

// checkPersistent asks the user about everything that later goals, which may have more permissions, will find.
func checkPersistent(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Persistent {
		return askRule(nil, "later goals will find it")
	}
	return passRule()
}

func checkDeletion(c Call, p Policy) (checkResult, error) {
	for _, file := range c.Effect.Deletes {
		if c.Effect.Pane != "" { // folder and machine are unknown here
			return askRule(nil, "it deletes or overwrites %s in the pane %s, which is not confined", file, c.Effect.Pane)
		}
		if !path.IsAbs(file) { // in the sandbox, a relative path is always the goal's own
			if p.Unconfined {
				return askRule(nil, "it deletes %s, and it could not be determined where that is", file)
			}
			continue
		}
		if p.isOutsideWork(file) { // the kernel refuses the deletion
			continue
		}
		if !p.isWritable(file) && (p.Unconfined || !isInTmp(file)) { // in the sandbox, /tmp is the goal's own
			return askRule(nil, "it deletes %s, which is outside the goal's folder", file)
		}
	}
	return passRule()
}

// isInTmp reports whether a path is below /tmp, by either of its names.
func isInTmp(file string) bool {
	return slices.ContainsFunc([]string{"/tmp", "/var/tmp"}, func(name string) bool {
		return file != name && IsWithin(name, file)
	})
}

func checkPayment(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Risk == SpendsMoney {
		return askRule(nil, "it may spend money")
	}
	return passRule()
}

func checkUserPane(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Pane != "" {
		return askRule([]Scope{ScopePane}, "the pane %s is yours and not confined: it runs with your permissions",
			c.Effect.Pane)
	}
	return passRule()
}

// checkUnparsedCommand asks each time: an approval for a pane does not cover commands that could not be parsed.
func checkUnparsedCommand(c Call, _ Policy) (checkResult, error) {
	switch {
	case c.Effect.Unparsed == "":
		return passRule()
	case c.Effect.Pane != "":
		return askRule(nil, "what it runs in the pane %s could not be determined from the input: %s", c.Effect.Pane,
			c.Effect.Unparsed)
	}
	return askRule(nil, "what the command line runs could not be determined: %s", c.Effect.Unparsed)
}

// checkCertificate asks each time: an attacker who answers for a server without a valid certificate reads everything
// sent there.
func checkCertificate(c Call, _ Policy) (checkResult, error) {
	if c.Effect.BadCertificate != "" {
		return askRule(nil, "the certificate of %s is not valid: somebody else may answer in its place",
			c.Effect.BadCertificate)
	}
	return passRule()
}

// grantScopes returns the scopes of grants that answer a question about a call. An unconfined pane is approved as a
// whole, with everything that can be reached from it.
func (c Call) grantScopes(usual ...Scope) []Scope {
	if c.Effect.Pane != "" {
		return append(usual, ScopePane)
	}
	return usual
}

// checkSecrets allows a secret only if the user did, and never sends it to a host that it does not belong to.
func checkSecrets(c Call, p Policy) (checkResult, error) {
	var unnamed []string
	for _, s := range c.Effect.Secrets {
		if foreign := hostsOutside(c.Effect.Hosts, s.Hosts); len(s.Hosts) > 0 && len(foreign) > 0 {
			return denyRule("the secret %s belongs to %s and not to %s", s.Name, strings.Join(s.Hosts, ", "),
				strings.Join(foreign, ", "))
		}
		if !slices.Contains(p.Secrets, s.Name) {
			unnamed = append(unnamed, s.Name)
		}
	}
	if len(unnamed) > 0 {
		return askRule([]Scope{ScopeSecret}, "it fills in your secret %s, which this goal was not given",
			strings.Join(unnamed, ", "))
	}
	return checkUnboundSecretExposure(c, p)
}

// checkUnboundSecretExposure asks before a program gets a bound secret, directly or in a file that programs read,
// because only the proxy's list of hosts limits where a program sends it. Hosts granted since the start are open to
// programs at every risk level.
func checkUnboundSecretExposure(c Call, p Policy) (checkResult, error) {
	for _, s := range c.Effect.Secrets {
		if c.Effect.Script && len(s.Hosts) > 0 {
			return askRule([]Scope{ScopeSecret},
				"the secret %s belongs to %s, and a script could send it to every host that its page reaches", s.Name,
				strings.Join(s.Hosts, ", "))
		}
	}
	if !c.Effect.ReachesPrograms() {
		return passRule()
	}
	unproxied := c.Effect.Pane != "" || p.Unconfined // and so without a list of hosts
	reached := p.opened
	if !NetworkGet.Exceeds(p.Risk) {
		reached = append(append([]string{}, reached...), p.AllowHosts...)
	}
	for _, s := range c.Effect.Secrets {
		if len(s.Hosts) > 0 && (unproxied || !NetworkWrite.Exceeds(p.Risk) || len(hostsOutside(reached, s.Hosts)) > 0) {
			return askRule([]Scope{ScopeSecret},
				"the secret %s belongs to %s, and a program could send it to every host that this goal may contact", s.Name,
				strings.Join(s.Hosts, ", "))
		}
	}
	return passRule()
}

// hostsOutside returns the hosts that are not in the list.
func hostsOutside(hosts, list []string) []string {
	return slices.DeleteFunc(slices.Clone(hosts), func(h string) bool { return slices.Contains(list, h) })
}

// checkMachineAccess asks the user before anything outside the sandbox is opened.
func checkMachineAccess(c Call, _ Policy) (checkResult, error) {
	if c.Effect.Access == nil {
		return passRule()
	}
	return askRule([]Scope{ScopeMachine}, "it asks for access: %s", c.Effect.Access)
}
