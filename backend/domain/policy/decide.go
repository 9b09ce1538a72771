package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Decision is an answer and its reason, for the model and the user.
type Decision struct {
	Answer Answer
	Reason string
	Always bool    // asked at every risk level: only the user can allow it
	Grant  string  // the grant that made a question unnecessary, "" if none
	Offers []Grant // what the user may grant when asked, once first
}

// Decide runs every check; the strictest answer wins. Their order only decides which reason comes first: deny list
// → control tools → allow list → risk against ceiling → paths → hosts → the rules. Grants answer questions; they
// never lift a denial.
func (rs RuleSet) Decide(c Call, p Policy, grants []Grant) Decision {
	p = p.WithGrants(grants)
	return combineChecks(rs.checks(c), c, p, grants)
}

func (rs RuleSet) checks(c Call) []checkFunc {
	if c.Effect.Control {
		return []checkFunc{checkDeniedTools}
	}
	list := []checkFunc{
		checkDeniedTools, checkAllowedTools, checkRiskCeiling, checkPaths, checkHosts, checkIrreversible,
		checkPersistent, checkDeletion, checkPayment, checkUserPane, checkUnparsedCommand, checkCertificate,
		checkMachineAccess, checkSecrets,
	}
	for _, r := range rs.rules {
		list = append(list, r.asCheck)
	}
	return list
}

func combineChecks(questions []checkFunc, c Call, p Policy, grants []Grant) Decision {
	d := Decision{Answer: Allow, Reason: "within " + string(p.Risk)}
	if c.Effect.Control {
		d.Reason = "a control tool"
	}
	var results []checkResult
	var reasons []string
	for _, q := range questions {
		f := runCheck(q, c, p)
		if f.answer.isStricterThan(d.Answer) {
			d.Answer, reasons = f.answer, nil
		}
		if f.answer == d.Answer && f.answer != Allow && !slices.Contains(reasons, f.reason) {
			reasons = append(reasons, f.reason)
		}
		if f.answer == Ask {
			results = append(results, f)
		}
	}
	if d.Answer == Allow {
		return d
	}
	d.Reason = strings.Join(reasons, "; ")
	if d.Answer == Ask {
		applyGrants(&d, results, c, grants)
	}
	return d
}

// runCheck runs one check. A panic, an error and an invalid answer deny.
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

// applyGrants allows the call if grants answer every question, and otherwise lists what the user may grant.
func applyGrants(d *Decision, results []checkResult, c Call, grants []Grant) {
	for _, f := range results {
		d.Always = d.Always || len(f.by) == 0 || f.needsUser()
	}
	for _, g := range grants {
		if g.Scope == ScopeOnce && g.covers(c) {
			d.Answer, d.Reason, d.Grant = Allow, "the user allowed this call", g.ID
			return
		}
	}
	if id, ok := coveredBy(results, c, grants); ok {
		d.Answer, d.Reason, d.Grant = Allow, "the user allowed it for this goal", id
		return
	}
	d.Offers = offeredScopes(results, c)
}
