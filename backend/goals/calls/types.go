package calls

import (
	"encoding/json"

	"goalpost/backend/core/verify/why"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/config"
)

// PruneOutput is the number of goals that were deleted, or would be.
type PruneOutput struct {
	Goals int `json:"goals"`
}

// StatusOutput is the short state of a goal.
type StatusOutput struct {
	Status   goal.Status `json:"status"`
	Exit     goal.Exit   `json:"exit"`
	Step     int         `json:"step"`
	LastStep string      `json:"last_step"`
}

// GoalCard is a goal in the list.
type GoalCard struct {
	ID        string `json:"id"`
	Objective string `json:"objective"`
	// Dir is the folder that it works in, absolute; of a goal in a git worktree, the folder that the user named instead.
	Dir       string      `json:"dir,omitempty"`
	Status    goal.Status `json:"status"`
	Exit      goal.Exit   `json:"exit"`
	Reason    string      `json:"reason"` // why it stopped, "" while it runs
	Verified  bool        `json:"verified"`
	Judged    bool        `json:"judged"` // verified by a model, not by a program
	Scripted  bool        `json:"scripted"`
	Model     string      `json:"model"`
	Engine    string      `json:"engine,omitempty"` // the external agent that drives it, "" if none
	CreatedAt string      `json:"created_at"`
	StartedAt string      `json:"started_at"` // "" before the first run
	EndedAt   string      `json:"ended_at"`   // "" while it is active
	GoalUsage
	ChecksPassed int    `json:"checks_passed"` // of the last claim
	Checks       int    `json:"checks"`
	ParkedUntil  string `json:"parked_until"` // "" if it is not parked
	ParkedSince  string `json:"parked_since"` // since when it waits for its model, "" if it does not
	// why it waits in the queue, with any status; "" if it is not queued
	Queued   string `json:"queued"`
	PID      int    `json:"pid"`      // of the process that runs or queues it, 0 if there is none
	Seq      int64  `json:"seq"`      // of the newest event in this card
	Activity []int  `json:"activity"` // steps per slice of its life, 24 slices
	// Asks counts the calls that wait for the user's answer.
	Asks           int    `json:"asks,omitempty"`
	goal.Proof            // of a done goal
	AssuranceWords string `json:"assurance_words,omitempty"` // says the proof in words
	// Aftermath is what became of it since it stopped: "cart.py undone: checks fail"; "" = nothing is known.
	Aftermath string `json:"aftermath,omitempty"`
	// Race is its place in a race, null if it is in none.
	Race *goal.Race `json:"race,omitempty"`
	// Parent is the goal whose agent started it, "" if there is none.
	Parent goal.ID `json:"parent,omitempty"`
}

// GoalUsage is what a goal has used so far.
type GoalUsage struct {
	SpentMS    int64   `json:"spent_ms"` // of working time
	Steps      int     `json:"steps"`
	Iterations int     `json:"iterations"`
	TokensIn   int64   `json:"tokens_in"`
	TokensOut  int64   `json:"tokens_out"`
	USD        float64 `json:"usd"`
}

// CheckState is one check with its newest verdict.
type CheckState struct {
	Type    goal.CheckType `json:"type"`
	Name    string         `json:"name"`
	Words   string         `json:"words"`
	Outcome goal.Outcome   `json:"outcome"` // "" before the first claim
	Detail  string         `json:"detail"`
	Tail    string         `json:"tail"`
	MS      int64          `json:"ms"`
	Claim   int            `json:"claim"`

	goal.Proof                       // of a pass
	AssuranceWords string            `json:"assurance_words,omitempty"` // says the proof in words
	Evidence       string            `json:"evidence,omitempty"`        // SHA-256 of the stored output
	Changes        []goal.FileChange `json:"changes,omitempty"`         // of the agent, that the check used
	Why            *why.Reasons      `json:"why,omitempty"`             // of a pass
}

// OptionsView is what the user chose and what the host noted.
type OptionsView struct {
	goal.Options
	goal.Origin
}

// GoalView is a goal on the dashboard.
type GoalView struct {
	GoalCard
	CriterionSHA256 string        `json:"criterion_sha256"`
	Any             bool          `json:"any"`
	CheckStates     []CheckState  `json:"check_states"`
	Policy          policy.Policy `json:"policy"`
	Provider        string        `json:"provider"`
	GoalLimits
	Report  []string `json:"report"`
	Account string   `json:"account"` // the agent's own report
	// Result is the agent's result in Markdown, from the claim that was verified or waits for the user.
	Result string `json:"result,omitempty"`
	// ReopenNote is a note with which a doubted pass can go back to the agent, "" if the pass is not doubted.
	ReopenNote   string         `json:"reopen_note,omitempty"`
	Checks       []goal.Check   `json:"criterion"`
	Require      goal.Assurance `json:"require,omitempty"` // the minimum that it must prove
	Options      OptionsView    `json:"options"`
	MergeCommand string         `json:"merge_command,omitempty"` // merges the branch of its git worktree
	Reviewed     bool           `json:"reviewed"`                // an independent reviewer reviews claims that pass
	Waits        bool           `json:"waits"`                   // for the user's decision about a manual check
	Tampered     bool           `json:"tampered"`                // paused because protected files changed
	// the pane in which the agent asked the user to act, "" if none
	AskedPane string `json:"asked_pane"`
	// the protected file that the agent asks to change, and the change that it proposes, as a diff; "" if none
	Unlock   string          `json:"unlock,omitempty"`
	Proposal string          `json:"proposal,omitempty"`
	Todos    []goal.Todo     `json:"todos"` // the agent's plan
	Notes    []goal.Note     `json:"notes"` // what the agent wants to keep
	Panes    []string        `json:"panes"` // ids of the panes that it leases
	Marks    []TimelineEntry `json:"marks"` // critic, claims and reviews on the time axis
}

// GoalLimits are the limits of a goal; 0 = none.
type GoalLimits struct {
	WallClockMS   int64   `json:"wall_clock_ms"`
	MaxIterations int     `json:"max_iterations"`
	MaxClaims     int     `json:"max_claims"` // in a row on one check
	MaxTokens     int64   `json:"max_tokens"`
	MaxUSD        float64 `json:"max_usd"`
}

// TimelineEntry is one result on the time axis.
type TimelineEntry struct {
	AtMS int64 `json:"at_ms"` // since the goal started
	// verify:pass, fail, error, tampered, waits, running; critic:progressing, stuck, achieved, misled,
	// unparsed; review:confirmed, rejected, error
	What   string `json:"what"`
	Detail string `json:"detail"`
	Claim  int    `json:"claim"` // 0 for the critic
	Step   int    `json:"step"`  // the newest step that the critic saw, otherwise 0
}

// StepRow is one line of the step log.
type StepRow struct {
	N           int           `json:"n"`
	AtMS        int64         `json:"at_ms"` // since the goal started
	Tool        string        `json:"tool"`
	Arguments   string        `json:"arguments"` // JSON as the model wrote it, at most 2,000 characters here
	Outcome     event.Outcome `json:"outcome"`   // "" while it runs
	MS          int64         `json:"ms"`
	Preview     string        `json:"preview"`
	ImageSHA256 string        `json:"image_sha256"`
	Effect      string        `json:"effect"` // the risk level of its effect
}

// StepView is one step with all its details.
type StepView struct {
	StepRow
	Result string `json:"result"` // whole
	Image  string `json:"image"`  // data URL, "" if none
	// Click is where the step acted on the page that Image shows.
	Click *ClickView `json:"click,omitempty"`
}

// ClickView is a point of a picture, in CSS pixels of the page. The picture may have another scale.
type ClickView struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  int     `json:"width"` // of the page
	Height int     `json:"height"`
}

// StepPage is a page of the step log, oldest first.
type StepPage struct {
	Steps []StepRow `json:"steps"`
	Total int       `json:"total"`
	Seq   int64     `json:"seq"` // of the goal's newest event when the page was read
}

// ListInput filters goals. All fields are optional.
type ListInput struct {
	Status string `json:"status"`
	Search string `json:"search"`
	Limit  int    `json:"limit"`
	Offset int    `json:"offset"`
	// Resumable selects goals that can be resumed, including those whose process died.
	Resumable bool `json:"resumable"`
}

// GoalList is a page of goals, newest first, and the counts of all of them.
type GoalList struct {
	Goals  []GoalCard     `json:"goals"`
	Total  int            `json:"total"`
	Counts map[string]int `json:"counts"` // by status
}

// EventPage is a page of a goal's journal.
type EventPage struct {
	Events []json.RawMessage `json:"events" ts:"GoalEvent[]"`
	More   bool              `json:"more"`
}

// ReceiptView is the receipt of a goal.
type ReceiptView struct {
	GoalID          string   `json:"goal_id"`
	Objective       string   `json:"objective"`
	Criterion       string   `json:"criterion"`
	CriterionSHA256 string   `json:"criterion_sha256"`
	PolicySHA256    string   `json:"policy_sha256"`
	Work            []string `json:"work,omitempty"`      // paths that the agent could change; empty = the whole folder
	CheckDir        string   `json:"check_dir,omitempty"` // only the checks read it; "" = none
	// the git worktree in which the goal worked, and the command that merges its branch; empty without a worktree
	Worktree       *goal.Worktree `json:"worktree,omitempty"`
	MergeCommand   string         `json:"merge_command,omitempty"`
	Status         goal.Status    `json:"status"`
	Exit           goal.Exit      `json:"exit"`
	Verified       bool           `json:"verified"`
	Judged         bool           `json:"judged"`   // by a model, not by a program
	Reviewed       bool           `json:"reviewed"` // the deciding claim was confirmed
	goal.Proof                    // of a done goal
	AssuranceWords string         `json:"assurance_words,omitempty"` // says the proof in words
	Model          string         `json:"model"`
	Effort         string         `json:"effort"` // the requested effort, "" = the provider's default
	Scripted       bool           `json:"scripted"`
	Result         string         `json:"result,omitempty"` // of the deciding claim, in Markdown
	// of the host when the goal stopped: the changes, and files that could not be compared
	Report []string       `json:"report"`
	Claims []ReceiptClaim `json:"claims"`
	// decisions about changed protected files: accepted with their hashes, restored or unprotected
	Protected []ProtectedRecord `json:"protected,omitempty"`
}

// ProtectedRecord is one entry of the journal about protected files.
type ProtectedRecord struct {
	At   string `json:"at"`
	Text string `json:"text"`
}

// ReviewResult is the result of the review of a claim that passed its checks.
type ReviewResult string

// The results. ReviewError means that the reviewer gave no valid answer, which is not a pass.
const (
	NotReviewed     ReviewResult = ""
	ReviewConfirmed ReviewResult = "confirmed"
	ReviewRejected  ReviewResult = "rejected"
	ReviewError     ReviewResult = "error"
)

// ReceiptClaim is one claim with its verdicts.
type ReceiptClaim struct {
	N            int            `json:"n"`
	At           string         `json:"at"`
	By           string         `json:"by"` // user; "" is the agent
	Rationale    string         `json:"rationale"`
	Result       string         `json:"result"`
	Deciding     bool           `json:"deciding"`
	Verdicts     []goal.Verdict `json:"verdicts"`
	Review       ReviewResult   `json:"review"`
	ReviewReason string         `json:"review_reason"`
}

// Settings are config.Settings for the page, with the same fields in the same order.
type Settings struct {
	Theme        config.Theme       `json:"theme"`
	FontSize     int                `json:"font_size"`
	Scrollback   int                `json:"scrollback"`
	FontFamily   string             `json:"font_family"` // of terminals, "" = the built-in one
	WebGL        bool               `json:"webgl"`
	ScreenReader bool               `json:"screen_reader"`
	CursorStyle  config.CursorStyle `json:"cursor_style"`
	ColorScheme  string             `json:"color_scheme"` // of terminals, "" = that of the theme
	Shell        string             `json:"shell"`        // of the user's new terminals, "" = that of the account
	KeepRunning  bool               `json:"keep_running"`
	// HostIdleMinutes is how long the host process stays with nothing to own and no program connected; 0 = until stopped
	HostIdleMinutes int `json:"host_idle_minutes"`
	// KeepAwake is when the computer stays awake while goals run
	KeepAwake config.KeepAwake `json:"keep_awake"`
	// Keys are the user's keys of commands, by their id; an empty list is none.
	Keys       map[string][]string `json:"keys"`
	LeaderKeys map[string]string   `json:"leader_keys"` // letters after the leader, by command
	Welcomed   bool                `json:"welcomed"`    // the first-start page was closed
	// ApprovalMinutes is how long an approval waits for the user; 0 = the goal pauses at once.
	ApprovalMinutes int `json:"approval_minutes"`
	SilenceMinutes  int `json:"silence_minutes"`  // how long a model may send nothing; 0 = the default
	ModelWaitHours  int `json:"model_wait_hours"` // how long a goal waits for its model; 0 = until it answers
	ChatRounds      int `json:"chat_rounds"`      // how often an answer of a chat may use tools; 0 = the default
	config.ModelRoles
	Notifications     bool   `json:"notifications"` // on the user's desktop
	NotificationSound bool   `json:"notification_sound"`
	QuietHours        string `json:"quiet_hours"`    // such as 22:00-07:00; "" is never
	EscalateAfter     int    `json:"escalate_after"` // minutes after which a request is announced once more; 0 = never
	DigestAt          string `json:"digest_at"`      // such as 07:30; "" is never
	ShareAddress      string `json:"share_address"`  // such as 0.0.0.0:4444; "" lets no other device in
	LinkAddress       string `json:"link_address"`   // of serve, for links in messages to webhooks; "" sends none
	// SecretsInFile stores secrets in the encrypted file even if a keyring is running; takes effect at the next
	// start.
	SecretsInFile bool `json:"secrets_in_file"`
	GoalsAtOnce   int  `json:"goals_at_once"` // 0 = the default of three; takes effect at the next start
	KeepDays      int  `json:"keep_days"`     // days after which an ended goal is deleted at a start; 0 = never
	GraceMinutes  int  `json:"grace_minutes"` // how long a goal's programs keep running after done; 0 = not at all
	// maximum memory of all programs of a goal together, in MiB; 0 = three quarters of the machine's
	GoalMemory int `json:"goal_memory"`
	// DailyLimitUSD is how much all goals together may spend in a day; 0 = no limit
	DailyLimitUSD float64             `json:"daily_limit_usd"`
	GoalFilters   []config.GoalFilter `json:"goal_filters"` // saved filters of the list of goals
	Toolchains    string              `json:"toolchains"`   // additional folders that goals can read, separated as in PATH
	Engine        string              `json:"-"`            // EngineAPI has it
	WorkDir       string              `json:"work_dir"`     // where new goals get their folders; "" = the default
	// HomePage is the address of the home button of a browser pane; "" = a blank page
	HomePage string `json:"home_page"`
	// SearchPage is the address for words in the address bar, with %s for them; "" = ask, "none"
	SearchPage string `json:"search_page"`
	UserAgent  string `json:"user_agent"` // of the user's pages; "" = Chromium's own
	// AskWhereToSave asks where each file that the user's pages download is saved
	AskWhereToSave bool `json:"ask_where_to_save"`
	// PageIdleMinutes is after how long an unseen page is discarded; 0 = never
	PageIdleMinutes int    `json:"page_idle_minutes"`
	UpdateFeed      string `json:"update_feed"` // HTTPS address of the release feed; "" = no check for updates
	// the search engine of goals: searxng, brave, tavily; "" = none. WebSearchAddress is its base address, "" = the
	// default one; WebSearchSecret is the name of the secret with its key.
	WebSearch        string `json:"web_search"`
	WebSearchAddress string `json:"web_search_address"`
	WebSearchSecret  string `json:"web_search_secret"`
}

// Connection has the address and the token of the loopback stream, and facts about the program.
type Connection struct {
	URL     string `json:"url"`   // ws://127.0.0.1:PORT, "" if the page's own origin serves it
	Token   string `json:"token"` // sent as the WebSocket subprotocol "token.<Token>"
	Version string `json:"version"`
	OS      string `json:"os"`
	DataDir string `json:"data_dir"`
	WorkDir string `json:"work_dir"` // where new goals get their folders
}
