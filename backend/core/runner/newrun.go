package runner

import (
	"goalpost/backend/core/runner/loopguard"
	"goalpost/backend/core/runner/stall"
	"goalpost/backend/domain/goal"
)

// newRun returns a run without its session. It connects the parts; attachSession gives them what they need from the
// session.
func newRun(c Config, g goal.Goal, id goal.Run, a *active) *Run {
	r := &Run{cfg: c, goal: g, id: id, active: a, pauser: a.pauser}
	r.pauser.attachRun()
	r.journal = &journalWriter{log: c.Store.Events, run: id}
	r.messages = &messageLog{journal: r.journal, callIDs: map[string]bool{}}
	r.budget = &budget{
		goal:        &r.goal,
		clock:       c.Clock,
		journal:     r.journal,
		startedAt:   c.Clock.Now(),
		spentBefore: g.Spent.WallClock,
	}
	r.plan = &plan{journal: r.journal}
	r.requests = &agentRequests{}
	r.recent = &recentSteps{}
	r.secrets = &callSecrets{exposed: exposedSecrets{}}
	r.addApprovals()
	r.addVerification()
	r.addDispatcher()
	r.id.Control = &runControl{
		agentRequests: r.requests,
		plan:          r.plan,
		goal:          g.ID,
		clock:         c.Clock,
		pauser:        r.pauser,
		evidence:      c.Store.Evidence,
		calls:         r.dispatcher,
		checkOutput:   g.ShownCheckOutput(),
	}
	return r
}

// addApprovals adds the parts that ask the user and read the user's orders.
func (r *Run) addApprovals() {
	grants := &activeGrants{journal: r.journal}
	r.orders = &orderIntake{
		goal:   r.goal.ID,
		store:  r.cfg.Store.Orders,
		grants: grants,
		pauser: r.pauser,
		cancel: r.active.cancel,
		log:    r.cfg.Log,
		read:   make(chan struct{}, 1),
	}
	r.approvals = &approvals{
		goal:     &r.goal,
		rules:    r.cfg.Rules,
		timeout:  r.cfg.ApprovalTimeout,
		clock:    r.cfg.Clock,
		log:      r.cfg.Log,
		journal:  r.journal,
		messages: r.messages,
		pauser:   r.pauser,
		idle:     &r.budget.idle,
		orders:   r.orders,
		grants:   grants,
		history:  r.cfg.Store.Approvals,
		exposed:  r.secrets.exposed,
	}
}

// addVerification adds the parts that decide whether the goal is reached and whether it makes progress.
func (r *Run) addVerification() {
	claims := newClaims(r.goal.Spent.Claims)
	r.progress = &progressWatch{
		goal:     &r.goal,
		journal:  r.journal,
		messages: r.messages,
		pauser:   r.pauser,
		claims:   claims,
		// spending of earlier runs does not count as idle
		detector: stall.New(r.goal.Spent.USD, r.goal.Criterion.HasAnswerCheck()),
	}
	r.integrity = &integrity{
		goal:     &r.goal,
		log:      r.cfg.Log,
		pauser:   r.pauser,
		freeDisk: r.cfg.Disk,
	}
	r.verification = &verification{
		goal:      &r.goal,
		clock:     r.cfg.Clock,
		journal:   r.journal,
		messages:  r.messages,
		pauser:    r.pauser,
		budget:    r.budget,
		plan:      r.plan,
		recent:    r.recent,
		history:   r.cfg.Store.History,
		progress:  r.progress,
		integrity: r.integrity,
		requests:  r.requests,
		claims:    claims,
	}
	r.critic = &critic{
		goal:     &r.goal,
		clock:    r.cfg.Clock,
		log:      r.cfg.Log,
		journal:  r.journal,
		messages: r.messages,
		pauser:   r.pauser,
		budget:   r.budget,
		plan:     r.plan,
		recent:   r.recent,
		history:  r.cfg.Store.History,
	}
	r.compactor = &compactor{
		goal:     &r.goal,
		log:      r.cfg.Log,
		journal:  r.journal,
		messages: r.messages,
		pauser:   r.pauser,
		budget:   r.budget,
		plan:     r.plan,
		claims:   claims,
		history:  r.cfg.Store.History,
	}
	r.reporter = &reporter{goal: &r.goal, claims: claims, budget: r.budget, plan: r.plan, requests: r.requests}
	r.reporter.history = r.cfg.Store.History
}

// addDispatcher adds the part that executes the agent's calls.
func (r *Run) addDispatcher() {
	r.dispatcher = &dispatcher{
		goal:      &r.goal,
		clock:     r.cfg.Clock,
		log:       r.cfg.Log,
		journal:   r.journal,
		messages:  r.messages,
		pauser:    r.pauser,
		budget:    r.budget,
		plan:      r.plan,
		requests:  r.requests,
		orders:    r.orders,
		grants:    r.approvals.grants,
		approvals: r.approvals,
		secrets:   r.secrets,
		steps: &stepRecorder{
			clock:    r.cfg.Clock,
			plan:     r.plan,
			claims:   r.verification.claims,
			critic:   r.critic,
			recent:   r.recent,
			progress: r.progress,
		},
		guard: loopguard.New(),
	}
}

// attachSession gives the parts what they need from the open session. Interfaces that the session does not
// implement stay nil.
func (r *Run) attachSession(s Session) {
	r.session = s
	blocked, _ := s.(BlockedHosts)
	r.approvals.blocked = blocked
	r.approvals.grants.attach(blocked)
	r.secrets.store, _ = s.(SecretStore)
	r.secrets.addEnvironmentSecrets()
	r.budget.children, _ = s.(ChildSpender)
	r.integrity.readiness, _ = s.(ReadinessChecker)
	r.progress.output, _ = s.(OutputSource)
	r.reporter.autorun, _ = s.(LeftoverReporter)
	r.reporter.worktree, _ = s.(WorktreeCommitter)
	folder := s.Folder()
	r.integrity.folder, r.progress.folder, r.reporter.folder = folder, folder, folder
	r.verification.judge = s.Judge()
	snapshots, _ := s.(SnapshotTaker)
	r.verification.snapshots, r.dispatcher.snapshots = snapshots, snapshots
	r.critic.attach(s.Models())
	r.plan.window = s.Models().Window
	r.compactor.attach(s.Models())
	r.dispatcher.attach(s)
}
