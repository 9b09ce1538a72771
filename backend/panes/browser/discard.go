package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// DiscardIdle ends the pages of the user that nobody has seen for a time, as far as nothing is lost with them: no page
// that plays, in which the user entered something, that a form led to, that is shared, private or inspected, or that
// downloads or asks. The pane keeps its address and its scroll; its next viewer loads the page again.
func (m *Manager) DiscardIdle(ctx context.Context, unseen time.Duration) {
	for _, info := range m.List() {
		p, ok := m.Get(info.ID)
		if !ok || !p.isDiscardable(unseen) || m.isInspected(info.ID) {
			continue
		}
		if err := p.discard(ctx, unseen); err != nil && ctx.Err() == nil {
			m.cfg.Log.Debug("a page was not discarded", "pane", info.ID, "error", err)
		}
	}
}

// isInspected reports whether developer tools are open for a pane.
func (m *Manager) isInspected(id string) bool {
	for _, info := range m.List() {
		if info.Inspects == id {
			return true
		}
	}
	return false
}

// isDiscardable reports whether nobody has seen the page for a time, and nothing that is known without asking it speaks
// against ending it.
func (p *Pane) isDiscardable(unseen time.Duration) bool {
	if !p.screencast.IsUnseen(unseen) {
		return false
	}
	for _, d := range p.Downloads.List() {
		if d.State == pane.Downloading || d.Asks {
			return false
		}
	}
	s := &p.State
	s.mu.Lock()
	defer s.mu.Unlock()
	isOwn := s.isOwnPage() && s.profile != ""
	isBusy := s.info.Loading || s.load.posted || s.load.edited || len(s.overlay.Questions) > 0 || s.info.Problem != ""
	return isOwn && !isBusy && s.page != nil && s.page.alive.Err() == nil && strings.HasPrefix(s.info.URL, "http")
}

// discard ends the page, unless it plays or somebody begins to look at it. A viewer that comes now waits in attachTo
// for the token.
func (p *Pane) discard(ctx context.Context, unseen time.Duration) error {
	plays, err := p.plays(ctx)
	if err != nil || plays {
		return err
	}
	saved := p.Save(ctx)
	select {
	case p.Navigation.attachToken <- struct{}{}:
		defer func() { <-p.Navigation.attachToken }()
	case <-p.State.ctx.Done():
		return ErrClosed
	}
	if !p.isDiscardable(unseen) {
		return nil
	}
	var pg *page
	p.State.change(func() {
		pg, p.State.page, p.State.asleep = p.State.page, nil, &saved
		p.State.load, p.State.network, p.State.loading = load{}, networkActivity{}, false
		p.State.info.Running, p.State.info.CanBack, p.State.info.CanFwd = false, false, false
		p.Prompts.closeLocked(anyPrompt)
	})
	p.State.m.mu.Lock()
	delete(p.State.m.sessions, pg.session)
	p.State.m.mu.Unlock()
	pg.end(ErrEnded)
	p.frames.detachAll()
	p.screencast.SetPage(nil)
	return pg.process.closePage(ctx, pg.target)
}

// playing is what a page plays, as Chromium reports it when it is asked: the events of its media players, by their ids,
// and whether an audio context runs.
type playing struct {
	players map[proto.MediaPlayerID][]*proto.MediaPlayerEvent
	context bool
}

// plays reports whether the page or a frame in it plays sound or video.
func (p *Pane) plays(ctx context.Context) (bool, error) {
	pg, err := p.State.currentPage()
	if err != nil {
		return false, err
	}
	p.State.change(func() { p.State.playing = playing{players: map[proto.MediaPlayerID][]*proto.MediaPlayerEvent{}} })
	for _, part := range append([]*page{pg}, p.frames.all()...) {
		// Chromium reports what exists before it answers.
		err := part.do(ctx, part.callLimit(), "asking what the page plays", func(c proto.Client) error {
			for _, req := range []proto.Request{
				proto.MediaEnable{}, proto.WebAudioEnable{}, proto.MediaDisable{}, proto.WebAudioDisable{},
			} {
				if err := cdp.CallNoResult(c, req); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && part.alive.Err() == nil {
			return false, err
		}
	}
	pg.process.DrainEvents()
	p.State.mu.Lock()
	defer p.State.mu.Unlock()
	plays := p.State.playing.context
	for _, events := range p.State.playing.players {
		plays = plays || isPlaying(events)
	}
	return plays, nil
}

// onMedia records the events of a media player.
func (s *State) onMedia(e *cdp.Event) {
	var ev proto.MediaPlayerEventsAdded
	if decodeEvent(e, &ev) {
		s.change(func() {
			if known := s.playing.players; known != nil {
				known[ev.PlayerID] = append(known[ev.PlayerID], ev.Events...)
			}
		})
	}
}

// isPlaying reports whether a media player plays. Chromium forgets old events: a player plays unless its events say
// otherwise. One that loops seeks right after its end.
func isPlaying(events []*proto.MediaPlayerEvent) bool {
	slices.SortStableFunc(events, func(a, b *proto.MediaPlayerEvent) int { return cmp.Compare(a.Timestamp, b.Timestamp) })
	plays, hasEnded := true, false
	for _, e := range events {
		var what struct {
			Event string `json:"event"`
		}
		if json.Unmarshal([]byte(e.Value), &what) != nil {
			continue
		}
		switch what.Event {
		case "kPlay":
			plays = true
		case "kSeek":
			plays = plays || hasEnded
		case "kLoad", "kPause", "kEnded", "kWebMediaPlayerDestroyed":
			plays, hasEnded = false, what.Event == "kEnded"
		}
	}
	return plays
}

// onAudioContext records an audio context that runs.
func (s *State) onAudioContext(e *cdp.Event) {
	var ev proto.WebAudioContextCreated
	if decodeEvent(e, &ev) && ev.Context != nil && ev.Context.ContextState == proto.WebAudioContextStateRunning {
		s.change(func() { s.playing.context = true })
	}
}
