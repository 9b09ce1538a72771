package runner

import (
	"context"
	"encoding/json"
	"time"

	"goalpost/backend/core/runner/prompt"
	"goalpost/backend/core/runner/startfacts"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// Store is the goal store, as the queue and the runs use it.
type Store struct {
	Events    EventLog
	Lifecycle Lifecycle
	Queue     Queue
	Orders    Orders
	History   History
	Evidence  EvidenceReader
	Approvals ApprovalLog
}

// EventLog is the journal, to which every event is written before it takes effect.
type EventLog interface {
	Append(ctx context.Context, run goal.Run, bodies ...event.Body) error
}

// Lifecycle begins the runs of a goal and records that they are alive.
type Lifecycle interface {
	// Begin makes a new run the goal's current one; it may return a *goal.NotReadyError.
	Begin(ctx context.Context, id goal.ID, slots int, opening ...event.Body) (goal.Run, error)
	Heartbeat(ctx context.Context, run goal.Run, wallClock time.Duration) error
}

// Queue says which goals may not begin yet.
type Queue interface {
	// NotReady returns why a goal cannot begin yet, nil if it can. Reasons are the slots of the data folder, another
	// goal that writes in its folder, and a goal that must be done first.
	NotReady(ctx context.Context, id goal.ID, slots int) (*goal.NotReadyError, error)
	// FailedDependency returns the goal that had to be done first and ended otherwise, "" if there is none.
	FailedDependency(ctx context.Context, id goal.ID) (string, error)
}

// Orders is the queue of what the user wants of a goal.
type Orders interface {
	// Take removes and returns the waiting orders of the given kinds, oldest first.
	Take(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) ([]goal.Order, error)
	// List only reads orders. They wait until an event handles them (steered, approval_resolved, grant_ended, or the
	// end of a verification for accept and reject), or until Settle.
	List(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) ([]goal.Order, error)
	Settle(ctx context.Context, orders ...goal.Order) error
}

// History is what earlier runs of a goal recorded.
type History interface {
	Conversation(ctx context.Context, id goal.ID) ([]goal.Message, error)
	// RunHistory returns what earlier runs left, with the given number of their newest steps.
	RunHistory(ctx context.Context, id goal.ID, steps int) (goal.RunHistory, error)
	// Background returns what a critic or a judge knows besides the work.
	Background(ctx context.Context, id goal.ID) (goal.Background, error)
	// SaveLoopState stores what the goal's next run must know about repeated calls in this one, and replaces what
	// was stored before. RunHistory returns it, unless the goal stopped for the user or the user changed its limits
	// since.
	SaveLoopState(ctx context.Context, run goal.Run, m goal.LoopState) error
	// OpenWait returns the condition for which a goal waits, nil if it waits for none.
	OpenWait(ctx context.Context, id goal.ID) (*goal.Wait, error)
	// ParkedInARow counts how often the goal was parked since a model last answered, and returns when it was first.
	ParkedInARow(ctx context.Context, id goal.ID) (n int, since time.Time, err error)
	// Interruptions returns what the goal went through without its user.
	Interruptions(ctx context.Context, id goal.ID) (goal.Interruptions, error)
	// IntentsWithoutResult returns the intents that have no result.
	IntentsWithoutResult(ctx context.Context, id goal.ID) ([]event.StepStarted, error)
}

// EvidenceReader reads the stored results of steps and checks.
type EvidenceReader interface {
	// ReadEvidence reads stored evidence by its handle: "step:12" is the whole result of a step, "check:1@3" the output
	// of check 1 at claim 3.
	ReadEvidence(ctx context.Context, id goal.ID, handle string) ([]byte, error)
}

// ApprovalLog holds the user's approvals and grants.
type ApprovalLog interface {
	// List returns every request to the user, oldest first.
	List(ctx context.Context, id goal.ID) ([]goal.Approval, error)
	// UnreportedApprovals returns those whose answer the agent has not received, because the run ended before.
	UnreportedApprovals(ctx context.Context, id goal.ID) ([]goal.Approval, error)
	// Grants returns what the user has allowed and not revoked.
	Grants(ctx context.Context, id goal.ID) ([]policy.Grant, error)
}

// Model answers one turn. It calls delta with streaming text as it arrives. An error means that retries are used
// up; a goal.Unavailable says until when.
type Model interface {
	Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error)
}

// Tool is something that the model can call.
type Tool interface {
	Spec() goal.ToolSpec
	// Effect validates the arguments and returns what the call would do. It changes nothing.
	Effect(ctx context.Context, args json.RawMessage) (policy.Effect, error)
	Do(ctx context.Context, args json.RawMessage) goal.Result
}

// Models are the models of a run. Critic may be nil.
type Models struct {
	Agent       Model
	Critic      Model
	CriticModel string // as its provider calls it
	Summary     Model  // nil is the agent's
	// Window and CriticWindow are in tokens; 0 if unknown.
	Window, CriticWindow int
}

// Verifier decides whether a claim is true.
type Verifier interface {
	// DecideClaim runs every check and reports each verdict as it is known.
	DecideClaim(ctx context.Context, g goal.Goal, c goal.Claim, report func(goal.Verdict) error) (goal.VerificationResult,
		error)
	// CanReview reports whether there is a model that can review.
	CanReview() bool
	// Review asks the independent reviewer about a claim whose checks passed.
	Review(ctx context.Context, g goal.Goal, c goal.Claim, verdicts []goal.Verdict) (goal.Review, error)
	// ResumeAgent lets the agent's programs continue, which DecideClaim froze. It is not called if the goal is
	// done.
	ResumeAgent()
}

// FolderState compares the goal's folder with its state at the start.
type FolderState interface {
	// Tampered returns a diff of the protected files that changed since the start, "" if none did.
	Tampered(ctx context.Context) (diff string, err error)
	// RecordShown stores which files are changed, and how, when the user is shown them. It returns the files.
	RecordShown(ctx context.Context) ([]goal.DecidingFile, error)
	// Fingerprint returns the same text as long as nothing has changed. gaps describes the parts that it does not
	// cover, "" if it covers everything.
	Fingerprint(ctx context.Context) (print, gaps string, err error)
	// Changed describes in a sentence what changed since the start, "" if nothing did.
	Changed(ctx context.Context) (string, error)
}

// ChildSpender is a Session whose goal starts child goals. Their spending counts against its limits.
type ChildSpender interface{ TotalSpend() goal.Spend }

// SecretStore is a Session with access to the user's secrets. A model refers to a secret by name and never gets the
// value.
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

// AgentInterrupter is a Session whose goal may be driven by an external agent, which works on its own.
type AgentInterrupter interface {
	// InterruptAgent ends the agent's turn.
	InterruptAgent(ctx context.Context)
}

// EnvironmentDescriber is a Session that describes the machine of its goal, in the same words for the whole run.
type EnvironmentDescriber interface{ Environment() prompt.Environment }

// StartReader is a Session that reads what the agent should know before its first turn.
type StartReader interface {
	ReadStart(ctx context.Context) startfacts.Facts
}

// LeftoverReporter is a Session that reports what a goal leaves behind and the user should check, one sentence
// each.
type LeftoverReporter interface {
	ThingsLeft(ctx context.Context) []string
}

// WorktreeCommitter is a Session whose goal may work in its own git worktree. When the goal is done, and its
// programs are stopped, it commits the goal's changes. It returns the sentence for the report, "" without a
// worktree.
type WorktreeCommitter interface {
	CommitWorktree(ctx context.Context, g goal.Goal, exit goal.Exit) string
}

// Preflighter is a Session that repeats the preflight of a goal that has waited for its first turn. why is for the
// user, "" if the goal may begin.
type Preflighter interface {
	RecheckPreflight(ctx context.Context, g goal.Goal) (why string, err error)
}

// SnapshotTaker is a Session that takes snapshots of the goal's folder, so that changes can be undone.
type SnapshotTaker interface {
	// AwaitSnapshot waits for the first snapshot, unless none has been needed yet.
	AwaitSnapshot(ctx context.Context)
	// SnapshotBefore takes the first snapshot if it is missing, and waits for it, because a step may change the
	// folder.
	SnapshotBefore(ctx context.Context)
	// SnapshotAfter requests a snapshot because a step may have changed the folder. It does not wait.
	SnapshotAfter(step int)
}

// Session is the environment of one running goal.
type Session interface {
	Models() Models
	Tools() []Tool
	Judge() Verifier
	Folder() FolderState // nil if nothing can be compared
	// Close ends what the goal started. After done, programs may keep running so that the user can look at them.
	Close(ctx context.Context, exit goal.Exit) error
}
