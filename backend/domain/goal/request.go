package goal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// NoLimit switches off what has a default: a limit, or the critic. 0 is the default.
const NoLimit = -1

// Request is a goal as the user asks for it: the dialog and the other ways in fill it, and a goal keeps it. Its parts
// share one JSON object. Complete puts the defaults in.
type Request struct {
	Objective string `json:"objective"` // in the user's words
	Criterion
	policy.Policy // Dir "" is a new folder
	Limits
	// the provider's id, "demo" for the scripted model; in a request "" leaves the choice to Model
	Provider string `json:"provider"`
	// "" is the provider's; in a request without a provider also PROVIDER/MODEL or PROVIDER
	Model string `json:"model"`
	Options
}

// Options say how a goal is supervised and where it works.
type Options struct {
	// the external agent that drives the goal: "" is that of the settings, "model" none. In a goal, "" is none.
	Engine string `json:"engine,omitempty"`
	// the external agent asks its own provider with the sign-in that it has on this computer, instead of the goal's model
	EngineLogin bool `json:"engine_login,omitempty"`
	// the goal works in a new git worktree of Dir's repository, on a branch of its own
	NewWorktree bool   `json:"new_worktree,omitempty"`
	Persona     string `json:"persona,omitempty"` // "" is inferred from the objective
	// reasoning effort, in the words of the model's protocol; "" is the provider's default
	Effort string `json:"effort,omitempty"`
	// models that take the turns while the goal's own is away or its quota is used up, in this order: PROVIDER/MODEL or
	// PROVIDER. In a request, they may also follow Model, after commas
	Fallbacks []string `json:"fallbacks,omitempty"`
	// turns between two runs of the critic; in a goal, 0 is no critic
	CriticEvery int `json:"critic_every,omitempty"`
	// who criticises, judges and reviews: PROVIDER/MODEL, PROVIDER, or a model of the goal's provider; "" is its own
	Critic string `json:"critic,omitempty"`
	Judge  string `json:"judge,omitempty"`
	// who reviews claims that passed, and who decides what pictures show; "" is the judge. Who shortens the
	// conversation; "" is the goal's own model
	Reviewer string `json:"reviewer,omitempty"`
	Vision   string `json:"vision,omitempty"`
	Summary  string `json:"summary,omitempty"`
	// "" is automatic: review if no deterministic check decides, or if something other than the work could have made it
	// pass
	Review ReviewMode `json:"review,omitempty"`
	// goals that must be completed first; in a request also unique parts of their ids
	After     []ID     `json:"after,omitempty"`
	Panes     []string `json:"panes,omitempty"`      // panes that the user shares with the goal
	Protect   []string `json:"protect,omitempty"`    // globs protected in addition to the files found
	NoProtect []string `json:"no_protect,omitempty"` // globs left out
	OnAsk     string   `json:"on_ask,omitempty"`     // park, deny, allow; "" is park
	// what the agent and the models read of a failing check; "" is full, or exit if there is a Policy.CheckDir
	CheckOutput CheckOutput `json:"check_output,omitempty"`
	// bytes of a tool's output that the agent sees at once, at least MinOutput; 0 is what its model's window allows
	MaxOutput int `json:"max_output,omitempty"`
	// of the pages that the agent opens
	PageSize PageSize `json:"page_size,omitempty"`
	// the model sees a picture of the page after each action in it
	Pictures bool `json:"pictures,omitempty"`
	// text that the agent reads with the objective: the output of a command
	Attached     string `json:"attached,omitempty"`
	AllowPassing bool   `json:"allow_passing,omitempty"` // a check may pass at the start
	// the program of a check may be missing: the goal is to make it
	AllowMissing bool `json:"allow_missing,omitempty"`
	// the user confirmed that checks with where: host run the agent's code outside the sandbox
	RunOutside bool `json:"run_outside,omitempty"`
}

const (
	MinOutput   = 1000     // the least MaxOutput, in bytes
	maxAttached = 32 << 10 // bytes of Attached
)

// Origin is what the host notes about where a goal comes from and works.
type Origin struct {
	Parent  ID   `json:"parent,omitempty"`  // the goal whose agent started this one
	Outside bool `json:"outside,omitempty"` // created by an external agent, or by a goal of one
	// the git worktree that was made for the goal, nil if it works in the user's folder
	Worktree *Worktree `json:"worktree,omitempty"`
	// the persona as it was when the goal was created, nil in goals of earlier versions
	PersonaCopy *PersonaCopy `json:"persona_copy,omitempty"`
	// the goal's place in a race, nil if it is in none
	Race *Race `json:"race,omitempty"`
	// the schedule that started the goal, nil if none did
	Scheduled *Scheduled `json:"scheduled,omitempty"`
}

// PersonaCopy is what the file of a goal's persona said when the goal was created.
type PersonaCopy struct {
	Name   string `json:"name"`
	Prompt string `json:"prompt"`
	Owner  string `json:"owner"`          // whose it is: built_in, user, claude or project
	Word   string `json:"word,omitempty"` // of the objective, for which it was inferred; "" if none was
	// Inferred reports that the user chose none.
	Inferred bool `json:"inferred,omitempty"`
}

// Limits limit a run. In a request 0 is the default and NoLimit is none; in a goal 0 is none.
type Limits struct {
	WallClockMS    int64   `json:"wall_clock_ms"` // working time, in milliseconds
	Iterations     int     `json:"iterations"`    // turns
	ClaimsPerCheck int     `json:"claims_per_check"`
	Tokens         int64   `json:"tokens"` // in and out
	USD            float64 `json:"usd"`
}

// DefaultLimits are the limits of a goal for which the user set none.
func DefaultLimits() Limits {
	return Limits{WallClockMS: time.Hour.Milliseconds(), Iterations: 300, ClaimsPerCheck: 5}
}

// DefaultCriticEvery is the default number of turns between two runs of the critic.
const DefaultCriticEvery = 5

// Flags lists the flags that fill the request.
func (r *Request) Flags() []Flag {
	limits := r.Limits.Flags(DefaultLimits())
	flags := []Flag{
		{"check", UsualFlags, checkFlag{&r.Criterion}, "a command that must exit with 0, an http address that must " +
			"answer 200, or file:PATH, json:EXPRESSION, question:TEXT, visual:TEXT, manual:NOTE (repeatable; all must pass)"},
		{"dir", UsualFlags, &r.Dir, "the goal's folder, in which it works (default: a new one)"},
		{"worktree", UsualFlags, &r.NewWorktree, "work in a new git worktree of the folder's repository, on a branch " +
			"of its own (default folder: the present one)"},
		{"risk", UsualFlags, (*string)(&r.Risk), "maximum risk level: read_only, write_local (default), network_get, " +
			"network_write, spends_money"},
		{"allow-host", UsualFlags, &r.AllowHosts, "hosts that it may contact"},
		{"model", UsualFlags, &r.Model, "PROVIDER/MODEL, PROVIDER, or a model of the active provider; after a " +
			"comma, others for while it is away"},

		{"with", CheckFlags, withFlag{&r.Criterion}, "of the last --check: where=host, where=ssh:NAME and rerun=no for a " +
			"command, from=file:PATH, from=cmd:COMMAND or from=url:URL for json, wait for manual, whole for visual"},
		{"any", CheckFlags, &r.Any, "one passing check is enough"},
		{
			"require", CheckFlags, (*string)(&r.Require),
			"the minimum assurance of the checks: strong, tested, weakened, judged or claimed (default: any)",
		},
		{
			"runs", CheckFlags, &r.Runs,
			"how many times in a row the command of a check must pass, to find flaky checks (default: once)",
		},
		{"allow", CheckFlags, permitFlag{map[string]*bool{
			"passing": &r.AllowPassing, "missing": &r.AllowMissing, "outside": &r.RunOutside,
		}}, "passing: checks that already pass; missing: checks whose program does not exist yet; outside: with " +
			"where=host, code of the agent runs outside the sandbox"},
		{
			"check-output", CheckFlags, (*string)(&r.CheckOutput),
			"what the agent reads of a failing check: exit, names, full (default: full, or exit with --check-dir)",
		},
		{
			"check-dir", CheckFlags, &r.CheckDir,
			"a folder that only the checks read, as $GOALPOST_CHECK_DIR; the agent and the models do not",
		},
		{"protect", CheckFlags, negatableFlag{&r.Protect, &r.NoProtect, "pattern"}, "also protect files that match " +
			"this pattern, relative to the folder, such as 'tests/**'; with ! before it, do not protect them"},

		{
			"work", AccessFlags, &r.Work,
			"a file or folder, relative to --dir, that the agent may change; everything else there is then read-only",
		},
		{"allow-read", AccessFlags, &r.AllowRead, "another file or folder that it may read"},
		{"allow-write", AccessFlags, &r.AllowWrite, "another folder that it may write to"},
		{"allow-local", AccessFlags, &r.AllowLocal, "loopback ports of this machine that it may reach"},
		{
			"allow-socket", AccessFlags, &r.AllowSocket,
			"a Unix socket that it may use: the program behind it may give it all of your rights",
		},
		{
			"deny-host", AccessFlags, &r.DenyHosts,
			"hosts that it never contacts, whatever else is allowed; *.NAME is every name below NAME",
		},
		{
			"tool", AccessFlags,
			negatableFlag{&r.AllowTools, &r.DenyTools, "name"},
			"only these tools; with ! before it, all but these",
		},
		{
			"secret", AccessFlags, &r.Secrets,
			"a secret that it may use as {{secret:NAME}} without asking; it never sees the value",
		},
		{
			"unconfined", AccessFlags, &r.Unconfined,
			"no sandbox: the goal's programs get all of your rights (journaled)",
		},

		{"after", SupervisionFlags, idsFlag{&r.After}, "run after this goal is completed"},
		{
			"pane", SupervisionFlags, &r.Panes,
			"share a pane of the open window or of serve with the goal, such as t1; the goal then runs there",
		},
		{
			"page-size", SupervisionFlags, (*string)(&r.PageSize),
			"the size of the agent's pages: phone, tablet, laptop (1280x800, the default), desktop, or WIDTHxHEIGHT",
		},
		{
			"pictures", SupervisionFlags, &r.Pictures,
			"show the model a picture of the page after each action in it, if it accepts pictures; it keeps the newest three",
		},
		{
			"on-ask", SupervisionFlags, &r.OnAsk,
			"what to do if nobody answers an approval: park (pause the goal; the default), deny, allow",
		},
		{
			"persona", SupervisionFlags, &r.Persona,
			"the agent's persona, as personas lists them (default: inferred from the objective)",
		},
		{"require-steps", SupervisionFlags, &r.RequireSteps, "require a declared step before each change"},
		{
			"critic", SupervisionFlags,
			criticFlag{&r.Options},
			"the turns between two runs of the critic (default 5), 0 for no critic, or its PROVIDER/MODEL",
		},
		{"judge", SupervisionFlags, &r.Judge, "PROVIDER/MODEL that judges and reviews (default: the goal's own)"},
		{"review", SupervisionFlags, (*string)(&r.Review), "whether an independent reviewer checks claims that " +
			"passed: always or never (default: if no deterministic check decides, or a pass is doubted)"},

		{
			"engine", ModelFlags,
			engineFlag{&r.Options},
			"what drives the goal: model, or an external agent that engines lists (default: the one set there); " +
				"AGENT:login uses the agent's own sign-in on this computer instead of the model",
		},
		{
			"effort", ModelFlags, &r.Effort,
			"reasoning effort: low, medium, high, or another value of its server (default: the provider's own)",
		},
		{
			"max-output", ModelFlags, &r.MaxOutput,
			"bytes of a tool's output that the agent sees at once; it can read the rest " +
				"(default: by the model's window)",
		},
	}
	return append(flags, limits...)
}

// Flags lists the flags that fill the limits, with the defaults in their usage.
func (l *Limits) Flags(defaults Limits) []Flag {
	usage := func(text, byDefault string) string {
		if byDefault == "" || byDefault == "0" {
			return text + "; 0 = no limit"
		}
		return text + "; 0 = no limit (default " + byDefault + ")"
	}
	wallClock := ""
	if defaults.WallClockMS > 0 {
		wallClock = FormatDuration(defaults.WallClock())
	}
	return []Flag{
		{"wall-clock", UsualFlags, timeFlag{&l.WallClockMS}, usage("maximum running time", wallClock)},
		{"max-usd", UsualFlags, limitFlag[float64]{&l.USD}, usage("money, where a price is known", "")},
		{
			"max-iterations", ModelFlags,
			limitFlag[int]{&l.Iterations},
			usage("maximum number of turns", strconv.Itoa(defaults.Iterations)),
		},
		{
			"max-claims", ModelFlags,
			limitFlag[int]{&l.ClaimsPerCheck},
			usage("failed claims in a row on one check", strconv.Itoa(defaults.ClaimsPerCheck)),
		},
		{"max-tokens", ModelFlags, limitFlag[int64]{&l.Tokens}, usage("tokens in and out", "")},
	}
}

// Complete puts the defaults into a request: after it, 0 means none.
func (r *Request) Complete() error {
	r.Objective, r.Hidden = strings.TrimSpace(r.Objective), nil // only the host hides paths
	if r.CriticEvery < NoLimit {
		return fault.Invalid("critic_every", fmt.Sprintf("the critic cannot run every %d turns", r.CriticEvery),
			"give a positive number of turns, or 0 for no critic")
	}
	r.SetDefaults()
	return r.Validate()
}

// SetDefaults replaces 0 by the default, and NoLimit by 0.
func (r *Request) SetDefaults() {
	r.Risk = cmp.Or(r.Risk, policy.WriteLocal)
	r.Limits = DefaultLimits().With(r.Limits)
	if r.CriticEvery = cmp.Or(r.CriticEvery, DefaultCriticEvery); r.CriticEvery == NoLimit {
		r.CriticEvery = 0
	}
}

// Validate refuses a complete request that could not be decided: no objective, no check, a negative limit or an
// unknown choice.
func (r *Request) Validate() error {
	if r.Objective == "" {
		return fault.Invalid("objective", "the goal has no objective",
			"say in a sentence what should be true at the end")
	}
	if err := r.Criterion.Validate(); err != nil {
		return err
	}
	if !r.Risk.IsValid() {
		return fault.Invalid("risk", fmt.Sprintf("unknown risk %q", r.Risk), "use one of "+policy.RiskNames())
	}
	for _, end := range []string{"claim_complete", "abort_with_report"} {
		if slices.Contains(r.DenyTools, end) {
			return fault.Invalid("deny_tools", "without "+end+", the agent cannot end the run honestly",
				"deny other tools; a claim proves nothing, and the host decides")
		}
	}
	if err := r.Options.validate(); err != nil {
		return err
	}
	if slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Where == "host" }) && !r.RunOutside {
		return fault.Invalid("run_outside", RunOutsideWarning,
			"confirm it, or let the check run in the sandbox").OnCommandLine(
			"confirm it (--allow outside), or let the check run in the sandbox")
	}
	return r.Limits.Validate()
}

// validate refuses unknown choices. The host's prompts know the personas.
func (o *Options) validate() error {
	if o.EngineLogin && (o.Engine == "" || o.Engine == "model") {
		return fault.Invalid("engine_login", "only an external agent has a sign-in of its own", "choose the agent").
			OnCommandLine("name it, such as --engine claude:login")
	}
	if !slices.Contains([]ReviewMode{ReviewAuto, ReviewAlways, ReviewNever}, o.Review) {
		return fault.Invalid("review", fmt.Sprintf("unknown choice %q", o.Review),
			"use always or never, or leave it out to let the host decide")
	}
	if o.CheckOutput != CheckOutputDefault && !slices.Contains(CheckOutputs(), o.CheckOutput) {
		return fault.Invalid("check_output", fmt.Sprintf("unknown choice %q", o.CheckOutput), "use exit, names or full")
	}
	if o.MaxOutput != 0 && o.MaxOutput < MinOutput {
		return fault.Invalid("max_output", fmt.Sprintf("%d bytes of output tell the agent too little", o.MaxOutput),
			fmt.Sprintf("give at least %d, or 0 for what the model's window allows", MinOutput))
	}
	if _, _, err := o.PageSize.Pixels(); err != nil {
		return err
	}
	if len(o.Attached) > maxAttached {
		return fault.Invalid("attached", fmt.Sprintf("the attached text has %d bytes", len(o.Attached)),
			fmt.Sprintf("attach at most %d, or put it into a file of the folder", maxAttached))
	}
	if !slices.Contains([]string{"", "park", "deny", "allow"}, o.OnAsk) {
		return fault.Invalid("on_ask", fmt.Sprintf("unknown choice %q", o.OnAsk), "use park, deny or allow")
	}
	return nil
}

// WallClock returns the limit of working time, 0 for none.
func (l Limits) WallClock() time.Duration { return time.Duration(l.WallClockMS) * time.Millisecond }

// Or returns the limits of a request, with those of other where it has 0.
func (l Limits) Or(other Limits) Limits {
	return Limits{
		WallClockMS:    cmp.Or(l.WallClockMS, other.WallClockMS),
		Iterations:     cmp.Or(l.Iterations, other.Iterations),
		ClaimsPerCheck: cmp.Or(l.ClaimsPerCheck, other.ClaimsPerCheck),
		Tokens:         cmp.Or(l.Tokens, other.Tokens),
		USD:            cmp.Or(l.USD, other.USD),
	}
}

// With returns l with the limits of changed that are not 0. NoLimit removes a limit; Validate refuses other negative
// numbers.
func (l Limits) With(changed Limits) Limits {
	return Limits{
		WallClockMS:    changedLimit(l.WallClockMS, changed.WallClockMS),
		Iterations:     changedLimit(l.Iterations, changed.Iterations),
		ClaimsPerCheck: changedLimit(l.ClaimsPerCheck, changed.ClaimsPerCheck),
		Tokens:         changedLimit(l.Tokens, changed.Tokens),
		USD:            changedLimit(l.USD, changed.USD),
	}
}

func changedLimit[N int | int64 | float64](before, changed N) N {
	switch changed {
	case 0:
		return before
	case NoLimit:
		return 0
	}
	return changed
}

// Validate refuses negative limits and amounts that are not numbers.
func (l Limits) Validate() error {
	if l.WallClockMS < 0 || l.Iterations < 0 || l.ClaimsPerCheck < 0 || l.Tokens < 0 || l.USD < 0 {
		return fault.Invalid("limits", "a limit is negative", "use 0 for no limit")
	}
	if math.IsNaN(l.USD) || math.IsInf(l.USD, 0) { // no amount exceeds it
		return fault.Invalid("limits", "the spending limit is not a number",
			"use an amount such as 2.50, or 0 for no limit")
	}
	return nil
}
