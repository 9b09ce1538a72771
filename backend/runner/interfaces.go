package runner

import (
	"context"
	"encoding/json"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner/prompt"
)

// Journal is the goal store, as the queue and the runs use it. A Run holds the parts.
type Journal interface {
	EventLog
	Lifecycle
	Orders
	History
	ApprovalLog
}

// EventLog is where everything is written before it counts.
type EventLog interface {
	Append(ctx context.Context, run goal.Run, bodies ...event.Body) error
}

// Lifecycle begins the runs of a goal and knows that they live.
type Lifecycle interface {
	// NotReady says why a goal cannot begin yet, nil if it can: the slots of the data
	// folder, another goal that writes in its folder, a goal that must be done first.
	NotReady(ctx context.Context, id goal.ID, slots int) (*goal.NotReadyError, error)
	// Begin makes a new run the goal's current one; a *goal.NotReadyError is an error of it.
	Begin(ctx context.Context, id goal.ID, slots int, opening ...event.Body) (goal.Run, error)
	// FailedDependency says which goal that must be done first ended otherwise, "" if none.
	FailedDependency(ctx context.Context, id goal.ID) (string, error)
	Heartbeat(ctx context.Context, run goal.Run, spent time.Duration) error
}

// Orders is the queue of what the user wants of a goal.
type Orders interface {
	// TakeOrders takes what waits of the given kinds, in the order it came.
	TakeOrders(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) ([]goal.Order, error)
	// Orders only reads them: they wait until an event that is appended says what
	// came of them (steered, approval_resolved, grant_ended; the end of a
	// verification for accept and reject), or until Settle.
	Orders(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) ([]goal.Order, error)
	Settle(ctx context.Context, orders ...goal.Order) error
}

// History is what the runs of a goal leave for the next one.
type History interface {
	Conversation(ctx context.Context, id goal.ID) ([]goal.Message, error)
	// RunHistory is what the runs before left; of their steps the newest so many.
	RunHistory(ctx context.Context, id goal.ID, steps int) (goal.RunHistory, error)
	// SaveLoopState stores what the goal's next run must know of the rounds of this one,
	// in place of what was stored before. RunHistory gives it back, unless the user has
	// looked at the goal since: it stopped for them, or they changed its limits.
	SaveLoopState(ctx context.Context, run goal.Run, m goal.LoopState) error
	// IntentsWithoutResult gives the intents that have no result.
	IntentsWithoutResult(ctx context.Context, id goal.ID) ([]event.StepStarted, error)
	// Evidence reads what a handle names: "step:12" the whole result of a step,
	// "check:1@3" the kept output of check 1 at claim 3.
	Evidence(ctx context.Context, id goal.ID, handle string) ([]byte, error)
}

// ApprovalLog is what the user was asked and has allowed.
type ApprovalLog interface {
	// Approvals gives everything that the user was asked, oldest first.
	Approvals(ctx context.Context, id goal.ID) ([]goal.Approval, error)
	// UnreportedApprovals gives those whose answer the agent has not been told, because the run that
	// was to say it was cut.
	UnreportedApprovals(ctx context.Context, id goal.ID) ([]goal.Approval, error)
	// Grants gives what the user has allowed and not taken back.
	Grants(ctx context.Context, id goal.ID) ([]policy.Grant, error)
}

// Model answers one turn. delta is called with streaming text as it arrives. An
// error means that retries are used up; a goal.Unavailable says until when.
type Model interface {
	Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error)
}

// Tool is one thing that the model may call.
type Tool interface {
	Spec() goal.ToolSpec
	// Effect validates the arguments and says what the call would do; it changes nothing.
	Effect(ctx context.Context, args json.RawMessage) (policy.Effect, error)
	Do(ctx context.Context, args json.RawMessage) goal.Result
}

// Models are the minds behind a run. Critic may be nil where none is wanted.
type Models struct {
	Agent       Model
	Critic      Model
	CriticModel string // as its provider calls it
	// Windows in tokens, 0 where they are not known.
	Window, CriticWindow int
}

// Verifier decides whether a claim is true.
type Verifier interface {
	// Criterion decides every check and reports each verdict as it is known.
	Criterion(ctx context.Context, g goal.Goal, c goal.Claim, report func(goal.Verdict) error) (goal.VerificationResult,
		error)
	// Review is the cold reviewer's word about a claim whose verdicts passed.
	Review(ctx context.Context, g goal.Goal, c goal.Claim, verdicts []goal.Verdict) (goal.Review, error)
}

// Workspace is what a goal can change, seen from outside.
type Workspace interface {
	// Tampered says what of the protected files is not as it was at the start, "" if all is.
	Tampered(ctx context.Context) (diff string, err error)
	// Undecided names the changed files whose change RecordShown has not kept.
	Undecided(ctx context.Context) ([]string, error)
	// RecordShown keeps which files are changed, and how, as the user is told it.
	RecordShown(ctx context.Context) error
	// RestoreProtected makes the protected files again what they were, and names those it touched.
	// The changed versions are moved to aside, "" if there was nothing to keep.
	RestoreProtected(ctx context.Context) (files []string, aside string, err error)
	// Fingerprint is the same as long as nothing has changed. unseen says of what
	// it cannot tell, "" if it is of everything.
	Fingerprint(ctx context.Context) (print, unseen string, err error)
	// Changed says in a sentence what is different since the start, "" if nothing.
	Changed(ctx context.Context) (string, error)
}

// ChildSpender is a Room whose goal has other goals work for it: what they have spent
// counts against its own limits.
type ChildSpender interface{ TotalSpend() goal.Spend }

// SecretStore is a Room that knows the user's secrets. A model names one by
// reference; it never gets the value.
type SecretStore interface {
	// SecretsIn lists the secrets that a call refers to. An unknown one is an error that says what to do.
	SecretsIn(c goal.Call) ([]policy.SecretUse, error)
	// EnvironmentSecrets lists those that programs of the goal get without a call.
	EnvironmentSecrets() []policy.SecretUse
	// FillSecrets puts the values in the place of the references, for execution only.
	FillSecrets(ctx context.Context, c goal.Call) (goal.Call, error)
	// Redact takes out of a result what must not be read by anyone but the user.
	Redact(text string) string
}

// ReadinessChecker is a Room that can say that it is not fit to work in any more: its walls
// are gone, its provider is not known. The error is for the user.
type ReadinessChecker interface{ Ready() error }

// ProtectionLister is a Session that lists the files that decide about the goal and that its agent cannot change, in
// the same order for the whole run.
type ProtectionLister interface{ ProtectedFiles() []prompt.ProtectedFile }

// LeftoverReporter is a Room that knows what a goal leaves behind and the user should look
// at: a sentence each, for the report.
type LeftoverReporter interface{ AutorunChanges() []string }

// Preflighter is a Room that tries the checks of a goal which has waited for its first
// turn. why is for the user, "" where the goal may begin.
type Preflighter interface {
	RecheckPreflight(ctx context.Context, g goal.Goal) (why string, err error)
}

// Session is what one goal runs in.
type Session interface {
	Models() Models
	Tools() []Tool
	Judge() Verifier
	World() Workspace // nil where nothing can be compared
	// Close ends what the goal started. After done, what runs may stay to be looked at.
	Close(ctx context.Context, exit goal.Exit) error
}
