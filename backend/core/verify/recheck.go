package verify

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// EvidenceReader reads evidence that was stored under its SHA-256.
type EvidenceReader interface {
	Artifact(sum string) ([]byte, error)
}

// VerifyEvidence checks that the evidence of a claim's verdicts is stored unchanged. It returns a sentence for each
// verdict where it is not.
func VerifyEvidence(verdicts []goal.Verdict, evidence EvidenceReader) []string {
	var faults []string
	for _, v := range verdicts {
		if v.Evidence == "" {
			continue
		}
		b, err := evidence.Artifact(v.Evidence)
		what := "not what was stored"
		if err != nil {
			what = fmt.Sprintf("lost: %v", err)
		}
		if err != nil || fileio.Hash(b) != v.Evidence {
			faults = append(faults,
				fmt.Sprintf("check %d (%s): its evidence is %s", v.Check+1, text.SanitizeLine(v.Name, 200), what))
		}
	}
	return faults
}

// Recheck runs the deterministic checks of a goal again and reports each verdict, with its place in the criterion.
// c and was are the deciding claim and its verdicts.
//
// A check that passed then and fails now is NotRepeatable instead of Fail where it recognizably needs a process of
// the goal, which has ended since:
//
//   - it asks a loopback address (http, json_predicate from a url);
//   - its command, or a locked script that it runs, names such an address, a Unix socket or /dev/tcp;
//   - its output says that a connection was refused, or curl exits with 7.
//
// Any other check that needed a running process is a Fail.
func (cr CheckRunner) Recheck(
	ctx context.Context, g goal.Goal, c goal.Claim, was []goal.Verdict, report func(goal.Verdict) error,
) error {
	passed := map[int]bool{}
	for _, v := range was {
		passed[v.Check] = v.Outcome == goal.Pass
	}
	e := &evaluation{host: cr, goal: g, claim: c}
	for i, k := range g.Criterion.Checks {
		if !k.Type.IsDeterministic() {
			continue
		}
		v, err := e.decideWithRetry(ctx, check.Item{Check: k, N: i})
		if err != nil {
			return err
		}
		if (v.Outcome == goal.Fail || v.Outcome == goal.CheckErr) && passed[i] &&
			cr.needsRunningProcess(check.Item{Check: k, N: i}, v) {
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
	networkCommand    = text.NewPattern(`localhost|\b127\.\d+\.\d+\.\d+|\[?::1\b|\b0\.0\.0\.0|/dev/(tcp|udp)/|\.sock\b`)
	connectionRefused = text.NewPattern(
		`(?i)connection refused|ECONNREFUSED|(failed to|could not|couldn't|unable to|cannot) connect`)
	curl = text.NewPattern(`\bcurl\b`)
)

// needsRunningProcess reports whether a check recognizably needs a process of the goal.
func (cr CheckRunner) needsRunningProcess(c check.Item, v goal.Verdict) bool {
	if !c.RunsCommand() {
		return isLoopback(c.URL)
	}
	texts := append([]string{c.Command}, cr.Folder.protectedState().LockedScripts(c.N)...)
	for _, text := range texts {
		if networkCommand.MatchString(text) || v.ExitCode == exitCurlRefused && curl.MatchString(text) {
			return true
		}
	}
	return connectionRefused.Match(v.Output)
}

// isLoopback reports whether a URL leads to the goal's own network.
func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// IsVerifiedTree reports whether the goal's folder is the same as when the criterion passed. isKnown is false if no
// hash of it was stored, or if the folder is too large to compare.
func (cr CheckRunner) IsVerifiedTree(ctx context.Context, was []goal.Verdict) (same, isKnown bool, err error) {
	for _, v := range was {
		if v.Tree == "" {
			continue
		}
		now, err := cr.Folder.baseline().TreeHash(ctx)
		if err != nil {
			return false, false, fmt.Errorf("hashing the goal's folder: %w", err)
		}
		return now == v.Tree, now != "", nil
	}
	return false, false, nil
}
