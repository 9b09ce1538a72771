package verify

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"regexp"

	"goalpost/backend/fileio"
	"goalpost/backend/goal"
	"goalpost/backend/text"
	"goalpost/backend/verify/check"
)

// EvidenceReader reads what was kept as evidence under its SHA-256.
type EvidenceReader interface {
	Artifact(sum string) ([]byte, error)
}

// VerifyEvidence looks whether what the verdicts of a claim names as evidence is still what it was,
// and says of each verdict where it is not, in one sentence; nil if all is.
func VerifyEvidence(verdicts []goal.Verdict, kept EvidenceReader) []string {
	var faults []string
	for _, v := range verdicts {
		if v.Evidence == "" {
			continue
		}
		b, err := kept.Artifact(v.Evidence)
		what := "not what was kept"
		if err != nil {
			what = fmt.Sprintf("lost: %v", err)
		}
		if err != nil || fileio.Hash(b) != v.Evidence {
			faults = append(faults,
				fmt.Sprintf("check %d (%s): its evidence is %s", v.Check+1, text.OneLine(v.Name, 200), what))
		}
	}
	return faults
}

// Recheck runs the gates of a goal again and reports each verdict, with its place in the criterion. c and was are the
// deciding claim and its verdicts. A judgement is not asked again. A gate that passed then and does not now is
// NotRepeatable, and not Fail, where it can be seen that it wants to reach a process of the goal, which has ended
// since:
//
//   - it asks an address of the loopback (http, json_predicate from a url);
//   - its command, or a script that it runs and that is held, names such an
//     address, a Unix socket or /dev/tcp;
//   - its output says that a connection was refused, or curl answers 7.
//
// What only a running process could show and none of these tells is a Fail.
func (h CheckRunner) Recheck(
	ctx context.Context, g goal.Goal, c goal.Claim, was []goal.Verdict, report func(goal.Verdict) error,
) error {
	passed := map[int]bool{}
	for _, v := range was {
		passed[v.Check] = v.Outcome == goal.Pass
	}
	e := &evaluation{host: h, goal: g, claim: c}
	for i, k := range g.Criterion.Checks {
		if !k.Type.IsDeterministic() {
			continue
		}
		v, err := e.decideWithRetry(ctx, check.Indexed{Check: k, N: i})
		if err != nil {
			return err
		}
		if (v.Outcome == goal.Fail || v.Outcome == goal.CheckErr) && passed[i] &&
			h.needsRunningProcess(check.Indexed{Check: k, N: i}, v) {
			v.Outcome, v.Detail = goal.NotRepeatable, "it needs a process of the goal, which has ended since: "+v.Detail
		}
		if err := report(v); err != nil {
			return err
		}
	}
	return nil
}

const exitCurlRefused = 7

var (
	networkCommand    = regexp.MustCompile(`localhost|\b127\.\d+\.\d+\.\d+|\[?::1\b|\b0\.0\.0\.0|/dev/(tcp|udp)/|\.sock\b`)
	connectionRefused = regexp.MustCompile(
		`(?i)connection refused|ECONNREFUSED|(failed to|could not|couldn't|unable to|cannot) connect`)
	curl = regexp.MustCompile(`\bcurl\b`)
)

// needsRunningProcess says whether a gate can be seen to reach for a process of the goal.
func (h CheckRunner) needsRunningProcess(c check.Indexed, v goal.Verdict) bool {
	if !c.RunsCommand() {
		return isLoopback(c.URL)
	}
	texts := append([]string{c.Command}, h.World.guard().LockedScripts(c.N)...)
	for _, text := range texts {
		if networkCommand.MatchString(text) || v.ExitCode == exitCurlRefused && curl.MatchString(text) {
			return true
		}
	}
	return connectionRefused.Match(v.Output)
}

// isLoopback says whether an address is one of the goal's own.
func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// IsVerifiedTree reports whether the goal's folder holds what it held when the criterion passed. known is false if
// that was not stored, or if the folder cannot be compared.
func (h CheckRunner) IsVerifiedTree(ctx context.Context, was []goal.Verdict) (same, known bool, err error) {
	for _, v := range was {
		if v.Tree == "" {
			continue
		}
		now, err := h.World.comparison().TreeHash(ctx)
		if err != nil {
			return false, false, fmt.Errorf("hashing the goal's folder: %w", err)
		}
		return now == v.Tree, now != "", nil
	}
	return false, false, nil
}
