package goalsandbox

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/secret"
)

// checkLauncher starts the programs of checks. While one runs, it may reach the hosts that its criterion names: its
// environment, which the agent's programs cannot read, has a proxy password that is valid until it ends.
type checkLauncher struct {
	process.Launcher
	proxy *egress.Proxy
	hosts []string
	mask  *secret.Mask
}

func (c checkLauncher) Start(ctx context.Context, cmd process.Command) (process.Process, error) {
	if len(c.hosts) == 0 || cmd.Domain != process.DomainCheck {
		return c.Launcher.Start(ctx, cmd)
	}
	pass, end := c.proxy.AddPass(c.hosts)
	c.mask.Add("[hidden: the check's pass]", pass[strings.Index(pass, ":")+1:])
	cmd.Env = slices.Clone(cmd.Env)
	for i, entry := range cmd.Env {
		if name, _, _ := strings.Cut(entry, "="); strings.HasSuffix(strings.ToLower(name), "_proxy") &&
			strings.ToLower(name) != "no_proxy" {
			cmd.Env[i] = strings.Replace(entry, "=http://", "=http://"+pass+"@", 1)
		}
	}
	p, err := c.Launcher.Start(ctx, cmd)
	if err != nil {
		end()
		return nil, err
	}
	go func() { // ends with the program, which ends with its supervisor
		<-p.Done()
		end()
	}()
	return p, nil
}

var urlPattern = text.NewPattern(`\bhttps?://[^\s"'<>|;&()$]+`)

// HostsOf lists the hosts that only a goal's checks may reach: those that the user named in the criterion. A child's
// checks reach no such hosts, because an agent wrote them.
func HostsOf(g goal.Goal) []string {
	if g.Origin.Parent != "" {
		return nil
	}
	return CheckHosts(g.Criterion.Checks)
}

// ValidateCheckHosts refuses checks of an agent that name a host that the policy does not allow.
func ValidateCheckHosts(p policy.Policy, checks []goal.Check) error {
	rules := RulesOf(p)
	for _, host := range CheckHosts(checks) {
		reason, ok := rules.Decide(egress.Request{
			From:   egress.SourceProgram,
			Method: http.MethodConnect,
			Host:   host,
			Port:   "443",
		})
		if !ok && !p.Unconfined {
			return fault.Invalid("checks", "a check contacts "+host+", but "+reason,
				"check files in the folder or programs that run there, or ask the user for a goal that may reach the host")
		}
	}
	return nil
}

// CheckHosts lists the hosts outside the sandbox that the addresses in checks name.
func CheckHosts(checks []goal.Check) []string {
	var hosts []string
	for _, c := range checks {
		for _, text := range urlPattern.FindAllString(c.Command+" "+c.URL, -1) {
			u, err := url.Parse(text)
			if err != nil || u.Hostname() == "" || egress.IsGoalLoopback(u.Hostname()+":80") {
				continue
			}
			hosts = append(hosts, strings.ToLower(u.Hostname()))
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
