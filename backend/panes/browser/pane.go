package browser

import (
	"context"
	"sync"

	"goalpost/backend/panes/browser/screencast"
)

// Pane is one browser pane. It outlives its page: when the page crashes or
// Chromium ends, the pane says so in State.Info().Problem, and Navigation.Reload brings the page
// back. All methods may be called concurrently; actions of the agent (Snapshot,
// Click, Type, Screenshot) take turns.
//
// It is made of parts, each with the fields of its task. A part has the parts that it needs as fields, and there are
// no cycles: see connectState and the functions after it.
type Pane struct {
	// Shared by the others.
	State      State
	screencast *screencast.Screencast
	Activity   Activity
	Prompts    Prompts
	Driver     Driver
	frames     frames
	popup      popup

	// The page: its size, its downloads, its navigation.
	Viewport   Viewport
	Downloads  Downloads
	Navigation Navigation

	// What an agent sees and does.
	turns    turns
	targets  targets
	Actions  Actions
	Mouse    Mouse
	Forms    Forms
	Reader   Reader
	Pictures Pictures

	// What a user sees and does.
	userInput  userInput
	SiteData   SiteData
	Logins     Logins
	TextSearch TextSearch
	devTools   devTools

	events  eventRouter // what Chromium reports
	closing sync.Once   // a failed opening and a manager that closes may both close the pane
}

func newPane(m *Manager, o Options) *Pane {
	p := &Pane{}
	p.State.init(m, o)
	p.connectState()
	p.connectPage(o.Width, o.Height)
	p.connectAgent()
	p.connectUser()
	p.events.init(p)
	p.State.work.Go(p.Navigation.followHistory)
	p.State.work.Go(p.userInput.runInputs)
	return p
}

// connectState creates the parts with shared state: activity, prompts, driver, frames.
func (p *Pane) connectState() {
	s := &p.State
	p.screencast = screencast.New(&screencastSource{
		state:    s,
		viewport: &p.Viewport,
		pictures: &p.Pictures,
		input:    &p.userInput,
		wake:     p.wake,
	})
	s.notifyViewers = p.screencast.NotifyViewers
	p.Activity = Activity{state: s}
	p.Prompts = Prompts{state: s, activity: &p.Activity}
	p.Prompts.noPromptCtx, p.Prompts.cancelNoPrompt = context.WithCancelCause(context.Background())
	p.Driver = Driver{
		state:    s,
		activity: &p.Activity,
		prompts:  &p.Prompts,
	}
	p.Driver.agentCtx, p.Driver.cancelAgent = context.WithCancelCause(context.Background())
	p.frames = frames{state: s}
	p.popup = popup{state: s, prompts: &p.Prompts}
}

// connectPage creates the parts that navigate the page, show it and save its downloads.
func (p *Pane) connectPage(width, height int) {
	s := &p.State
	if width <= 0 || height <= 0 {
		width, height = 1280, 800
	}
	p.Viewport = Viewport{
		state:      s,
		screencast: p.screencast,
		noPictures: p.Pictures.lockPictures,
		ratio:      1,
	}
	p.Viewport.setSize(width, height)
	p.Downloads = Downloads{
		state:    s,
		activity: &p.Activity,
		driver:   &p.Driver,
	}
	p.Navigation = Navigation{
		attach:         p.attachNew,
		state:          s,
		driver:         &p.Driver,
		prompts:        &p.Prompts,
		downloads:      &p.Downloads,
		use:            p.screencast.Use,
		historyChanged: make(chan struct{}, 1),
		attachToken:    make(chan struct{}, 1),
	}
}

// connectAgent creates the parts with which an agent sees the page and acts on it.
func (p *Pane) connectAgent() {
	s := &p.State
	p.turns = turns{
		state:     s,
		driver:    &p.Driver,
		prompts:   &p.Prompts,
		popup:     &p.popup,
		use:       p.screencast.Use,
		wake:      p.wakeForReader,
		agentTurn: make(chan struct{}, 1),
	}
	p.targets = targets{
		state:    s,
		activity: &p.Activity,
		frames:   &p.frames,
	}
	p.Actions = Actions{
		state:    s,
		activity: &p.Activity,
		prompts:  &p.Prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		targets:  &p.targets,
	}
	p.Mouse = Mouse{
		state:    s,
		activity: &p.Activity,
		frames:   &p.frames,
		targets:  &p.targets,
		actions:  &p.Actions,
		viewport: &p.Viewport,
	}
	p.Forms = Forms{
		state:    s,
		activity: &p.Activity,
		prompts:  &p.Prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		targets:  &p.targets,
		actions:  &p.Actions,
		mouse:    &p.Mouse,
	}
	p.Reader = Reader{
		state:   s,
		driver:  &p.Driver,
		prompts: &p.Prompts,
		frames:  &p.frames,
		turns:   &p.turns,
		targets: &p.targets,
	}
	p.Pictures = Pictures{
		state:    s,
		prompts:  &p.Prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		targets:  &p.targets,
		viewport: &p.Viewport,
		token:    make(chan struct{}, 1),
	}
}

// connectUser creates the parts with which a user acts on the page and answers its prompts.
func (p *Pane) connectUser() {
	s := &p.State
	p.userInput = userInput{
		screencast: p.screencast,
		state:      s,
		prompts:    &p.Prompts,
		drag:       &p.Mouse.drag,
		viewport:   &p.Viewport,
		pictures:   &p.Pictures,
		queue:      newInputQueue(),
	}
	p.SiteData = SiteData{
		state:   s,
		driver:  &p.Driver,
		prompts: &p.Prompts,
		turns:   &p.turns,
	}
	p.Logins = Logins{
		state:    s,
		activity: &p.Activity,
		driver:   &p.Driver,
		prompts:  &p.Prompts,
		frames:   &p.frames,
		turns:    &p.turns,
		actions:  &p.Actions,
		forms:    &p.Forms,
	}
	p.devTools = devTools{state: s}
	p.TextSearch = TextSearch{
		state:   s,
		prompts: &p.Prompts,
		frames:  &p.frames,
	}
}
