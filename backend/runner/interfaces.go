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

// Lifecycle begins the runs of a goal and records that they are alive.
type Lifecycle interface {
	// NotReady says why a goal cannot begin yet, nil if it can: the slots of the data
	// folder, another goal that writes in its folder, a goal that must be done first.
	NotReady(ctx context.Context, id goal.ID, slots int) (*goal.NotReadyError, error)
	// Begin makes a new run the goal's current one; a *goal.NotReadyError is an error of it.
	Begin(ctx context.Context, id goal.ID, slots int, opening ...event.Body) (goal.Run, error)
	// FailedDependency returns the goal that had to be done first and ended in another way, "" if none.
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

// History is what the runs of a goal leave for later runs.
type History interface {
	Conversation(ctx context.Context, id goal.ID) ([]goal.Message, error)
	// RunHistory returns what earlier runs left, with the given number of their newest steps.
	RunHistory(ctx context.Context, id goal.ID, steps int) (goal.RunHistory, error)
	// SaveLoopState stores what the goal's next run must know about repeated calls in this one. It replaces what was
	// stored before. RunHistory gives it back, unless the user has looked at the goal since: it stopped for them, or they
	// changed its limits.
	SaveLoopState(ctx context.Context, run goal.Run, m goal.LoopState) error
	// IntentsWithoutResult returns the intents that have no result.
	IntentsWithoutResult(ctx context.Context, id goal.ID) ([]event.StepStarted, error)
	// Evidence reads what a handle names: "step:12" the whole result of a step,
	// "check:1@3" the kept output of check 1 at claim 3.
	Evidence(ctx context.Context, id goal.ID, handle string) ([]byte, error)
}

// ApprovalLog is what the user was asked and has allowed.
type ApprovalLog interface {
	// Approvals returns everything that the user was asked, oldest first.
	Approvals(ctx context.Context, id goal.ID) ([]goal.Approval, error)
	// UnreportedApprovals returns those whose answer the agent has not received, because the run ended before.
	UnreportedApprovals(ctx context.Context, id goal.ID) ([]goal.Approval, error)
	// Grants returns what the user has allowed and not revoked.
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

// FormerTool is a former name of other tools. It can be called and is never offered.
type FormerTool interface {
	Tool
	// Current returns the name and the arguments with which the same call is made today.
	Current(args json.RawMessage) (tool string, current json.RawMessage, err error)
	// CurrentNames lists the tools that Current can name.
	CurrentNames() []string
}

// Models are the models of a run. Critic may be nil.
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
	DecideClaim(ctx context.Context, g goal.Goal, c goal.Claim, report func(goal.Verdict) error) (goal.VerificationResult,
		error)
	// Review asks the independent reviewer about a claim whose checks passed.
	Review(ctx context.Context, g goal.Goal, c goal.Claim, verdicts []goal.Verdict) (goal.Review, error)
	// ResumeAgent lets the agent's programs continue, which Criterion stops. It is not called if the goal is done.
	ResumeAgent()
}

// Workspace compares what a goal can change with its start.
type Workspace interface {
	// Tampered returns a diff of the protected files that changed since the start, "" if none did.
	Tampered(ctx context.Context) (diff string, err error)
	// Undecided names the changed files whose change RecordShown has not recorded.
	Undecided(ctx context.Context) ([]string, error)
	// RecordShown records which files are changed, and how, when the user is shown them.
	RecordShown(ctx context.Context) error
	// RestoreProtected restores the protected files and names those that it restored. It moves the changed versions
	// to the folder aside, "" if there were none.
	RestoreProtected(ctx context.Context) (files []string, aside string, err error)
	// Fingerprint returns the same text as long as nothing has changed. unseen says what it does not cover, "" if it
	// covers everything.
	Fingerprint(ctx context.Context) (print, unseen string, err error)
	// Changed describes in a sentence what changed since the start, "" if nothing did.
	Changed(ctx context.Context) (string, error)
}

// ChildSpender is a Session whose goal starts child goals. What they spend counts against its limits.
type ChildSpender interface{ TotalSpend() goal.Spend }

// SecretStore is a Session that has access to the user's secrets. A model refers to a secret by name and never gets
// the value.
type SecretStore interface {
	// SecretsIn lists the secrets that a call refers to. An unknown one is an error that says what to do.
	SecretsIn(c goal.Call) ([]policy.SecretUse, error)
	// EnvironmentSecrets lists those that the goal's programs get in their environment.
	EnvironmentSecrets() []policy.SecretUse
	// FillSecrets replaces the references by the values, for execution only.
	FillSecrets(ctx context.Context, c goal.Call) (goal.Call, error)
	// Redact removes secrets from a result.
	Redact(text string) string
}

// ReadinessChecker is a Session that can become unusable: its sandbox has ended, or its provider is unknown. The
// error is for the user.
type ReadinessChecker interface{ Ready() error }

// EnvironmentDescriber is a Session that describes the machine of its goal, in the same words for the whole run.
type EnvironmentDescriber interface{ Environment() prompt.Environment }

// LeftoverReporter is a Session that reports what a goal leaves behind and the user should look at, one sentence
// each.
type LeftoverReporter interface{ ThingsLeft() []string }

// WorktreeCommitter is a Session whose goal may work in a git worktree of its own. When the goal is done, it commits
// what the goal made; the goal's programs are stopped then. The sentence for the report is "" without a worktree.
type WorktreeCommitter interface {
	CommitWorktree(ctx context.Context, g goal.Goal, exit goal.Exit) string
}

// Preflighter is a Session that tries the checks of a goal that has waited for its first turn. why is for the user,
// "" if the goal may begin.
type Preflighter interface {
	RecheckPreflight(ctx context.Context, g goal.Goal) (why string, err error)
}

// SnapshotTaker is a Session that takes snapshots of the goal's folder, so that changes can be undone.
type SnapshotTaker interface {
	// AwaitSnapshot waits for the first snapshot, unless none has been needed yet.
	AwaitSnapshot(ctx context.Context)
	// SnapshotBefore has the first snapshot taken, and waits for it, because a step may change the folder.
	SnapshotBefore(ctx context.Context)
	// SnapshotAfter requests a snapshot because a step may have changed the folder. It does not wait.
	SnapshotAfter(step int)
}

// Session is what one goal runs in.
type Session interface {
	Models() Models
	Tools() []Tool
	Judge() Verifier
	World() Workspace // nil where nothing can be compared
	// Close ends what the goal started. After done, programs may keep running so that the user can look at them.
	Close(ctx context.Context, exit goal.Exit) error
}
