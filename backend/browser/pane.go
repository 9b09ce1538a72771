package browser

import (
	"context"
	"sync"

	"goalpost/backend/browser/screencast"
)

// Pane is one browser pane. It outlives its page: when the page crashes or
// Chromium ends, the pane says so in Info().Problem, and Reload brings the page
// back. All methods may be called concurrently; actions of the agent (Snapshot,
// Click, Type, Screenshot) take turns.
//
// It is made of parts, each with the fields of its task. A part names the parts that it
// needs, and none of those needs it: see connectState and what follows it.
type Pane struct {
	// Shared by the others.
	state
	screencast *screencast.Screencast
	activity
	prompts
	driver
	frames
	popup

	// The page: its size, its downloads, its navigation.
	viewport
	downloads
	navigation

	// What an agent sees and does.
	turns
	targets
	actions
	mouse
	forms
	reader
	pictures

	// What a user sees and does.
	userInput
	siteData
	logins
	textSearch
	devTools

	events  eventRouter // what Chromium reports
	closing sync.Once   // a failed opening and a manager that closes may both close the pane
}

func newPane(m *Manager, o Options) *Pane {
	p := &Pane{}
	p.state.init(m, o)
	p.connectState()
	p.connectPage(o.Width, o.Height)
	p.connectAgent()
	p.connectUser()
	p.events.init(p)
	p.state.work.Go(p.navigation.followHistory)
	p.state.work.Go(p.userInput.runInputs)
	return p
}

// connectState creates the parts with shared state: activity, prompts, driver, frames.
func (p *Pane) connectState() {
	s := &p.state
	p.screencast = screencast.New(&filmed{
		state:    s,
		viewport: &p.viewport,
		pictures: &p.pictures,
		input:    &p.userInput,
	})
	s.notifyViewers = p.screencast.NotifyViewers
	p.activity = activity{state: s}
	p.prompts = prompts{state: s, activity: &p.activity}
	p.prompts.noPromptCtx, p.prompts.cancelNoPrompt = context.WithCancelCause(context.Background())
	p.driver = driver{
		state:    s,
		activity: &p.activity,
		prompts:  &p.prompts,
	}
	p.driver.agentCtx, p.driver.cancelAgent = context.WithCancelCause(context.Background())
	p.frames = frames{state: s}
	p.popup = popup{state: s, prompts: &p.prompts}
}

// connectPage creates the parts that navigate the page, show it and save its downloads.
func (p *Pane) connectPage(width, height int) {
	s := &p.state
	if width <= 0 || height <= 0 {
		width, height = 1280, 800
	}
	p.viewport = viewport{
		state:      s,
		screencast: p.screencast,
		ratio:      1,
	}
	p.viewport.setSize(width, height)
	p.downloads = downloads{
		state:    s,
		activity: &p.activity,
		driver:   &p.driver,
	}
	p.navigation = navigation{
		attach:         p.attachNew,
		state:          s,
		driver:         &p.driver,
		prompts:        &p.prompts,
		downloads:      &p.downloads,
		historyChanged: make(chan struct{}, 1),
		attachToken:    make(chan struct{}, 1),
	}
}

// connectAgent creates the parts with which an agent sees the page and acts on it.
func (p *Pane) connectAgent() {
	s := &p.state
	p.turns = turns{
		state:     s,
		driver:    &p.driver,
		prompts:   &p.prompts,
		popup:     &p.popup,
		agentTurn: make(chan struct{}, 1),
	}
	p.targets = targets{
		state:    s,
		activity: &p.activity,
		frames:   &p.frames,
	}
	p.actions = actions{
		state:    s,
		activity: &p.activity,
		prompts:  &p.prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		targets:  &p.targets,
	}
	p.mouse = mouse{
		state:    s,
		activity: &p.activity,
		frames:   &p.frames,
		targets:  &p.targets,
		actions:  &p.actions,
		viewport: &p.viewport,
	}
	p.forms = forms{
		state:    s,
		activity: &p.activity,
		prompts:  &p.prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		targets:  &p.targets,
		actions:  &p.actions,
		mouse:    &p.mouse,
	}
	p.reader = reader{
		state:   s,
		driver:  &p.driver,
		prompts: &p.prompts,
		frames:  &p.frames,
		turns:   &p.turns,
		targets: &p.targets,
	}
	p.pictures = pictures{
		state:    s,
		prompts:  &p.prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		targets:  &p.targets,
		viewport: &p.viewport,
		token:    make(chan struct{}, 1),
	}
}

// connectUser creates the parts with which a user acts on the page and answers its prompts.
func (p *Pane) connectUser() {
	s := &p.state
	p.userInput = userInput{
		screencast: p.screencast,
		state:      s,
		prompts:    &p.prompts,
		drag:       &p.mouse.drag,
		viewport:   &p.viewport,
		pictures:   &p.pictures,
		queue:      newInputs(),
	}
	p.siteData = siteData{
		state:   s,
		driver:  &p.driver,
		prompts: &p.prompts,
		turns:   &p.turns,
	}
	p.logins = logins{
		state:    s,
		activity: &p.activity,
		driver:   &p.driver,
		prompts:  &p.prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		actions:  &p.actions,
		forms:    &p.forms,
	}
	p.devTools = devTools{state: s}
	p.textSearch = textSearch{
		state:   s,
		prompts: &p.prompts,
		frames:  &p.frames,
	}
}
