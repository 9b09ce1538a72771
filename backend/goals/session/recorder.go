package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser"
	"goalpost/backend/panes/recording"
	"goalpost/backend/panes/terminal"
	"goalpost/backend/storage/secret"
)

// minFrameInterval is the minimum time between two recorded pictures of a page. It bounds the recording of a page that
// changes all the time.
const minFrameInterval = 500 * time.Millisecond

// maxFailures is how many pictures of a page that follow each other may be dropped before no further one is asked for.
const maxFailures = 4

// paneRecorder records the panes that a goal opened, during its runs. It does not record panes that the user shares or
// has taken over. All methods may be called concurrently, and on nil, which records nothing, as for another agent.
type paneRecorder struct {
	clock   runner.Clock
	mask    *secret.Mask
	log     *slog.Logger
	goal    goal.ID
	writer  *recording.Writer
	life    context.Context
	end     context.CancelFunc
	rolled  sync.WaitGroup
	warning sync.Once

	mu    sync.Mutex
	on    bool
	ended bool
	views map[*browser.Viewer]bool
}

// setActive starts recording with a run and stops between runs.
func (pr *paneRecorder) setActive(on bool) {
	if pr == nil {
		return
	}
	pr.mu.Lock()
	defer pr.mu.Unlock()
	pr.on = on
	for v := range pr.views {
		v.SetVisible(on)
	}
}

// start runs f in a goroutine, unless the recorder is closed.
func (pr *paneRecorder) start(f func()) {
	if pr == nil {
		return
	}
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if !pr.ended {
		pr.rolled.Go(f)
	}
}

// close ends all recordings and waits for them.
func (pr *paneRecorder) close() error {
	if pr == nil {
		return nil
	}
	pr.mu.Lock()
	pr.ended = true
	pr.mu.Unlock()
	pr.end()
	pr.rolled.Wait()
	return pr.writer.Close()
}

func (pr *paneRecorder) write(r recording.Record) {
	r.At = pr.clock.Now()
	if err := pr.writer.Add(r); err != nil {
		pr.warning.Do(func() { pr.log.Error("panes cannot be recorded", "goal", pr.goal, "error", err) })
	}
}

// recordTerminal records a terminal from its first byte until its program has ended.
func (pr *paneRecorder) recordTerminal(s *terminal.Session) {
	pr.start(func() {
		v := s.Attach(0)
		defer v.Close()
		mask := pr.mask.Stream() // a secret may be split over two chunks
		add := func(text []byte) {
			if len(text) > 0 {
				cols, rows := v.Size()
				pr.write(recording.Record{Pane: s.ID(), Kind: pane.Terminal, Width: cols, Height: rows, Data: text})
			}
		}
		defer func() { add(mask.End()) }()
		for {
			offset, chunk, err := v.Read(pr.life)
			var gap *terminal.GapError
			if errors.As(err, &gap) {
				continue
			}
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, terminal.ErrClosed) && pr.life.Err() == nil {
					pr.log.Warn("a terminal was not recorded", "pane", s.ID(), "error", err)
				}
				return
			}
			add(mask.Next(bytes.Clone(chunk)))
			v.Ack(offset + int64(len(chunk)))
		}
	})
}

// recordPage records a page until it is closed.
func (pr *paneRecorder) recordPage(p *browser.Pane) {
	pr.start(func() {
		v := p.AttachRecorder()
		pr.mu.Lock()
		pr.views[v] = true
		v.SetVisible(pr.on)
		pr.mu.Unlock()
		defer func() {
			pr.mu.Lock()
			delete(pr.views, v)
			pr.mu.Unlock()
			v.Close()
		}()
		filter, failures := frameFilter{}, 0
		for {
			news, err := v.Next(pr.life)
			if err != nil {
				return // closed
			}
			if news.Frame == nil {
				continue
			}
			if filter.canRecord(p.State.Driver()) && filter.isNew(news.Frame.JPEG) {
				if pr.recordFrame(p, news.Frame) {
					failures = 0
				} else if failures++; failures < maxFailures { // it may be the last frame
					filter.last = nil
					v.Again()
				}
				pr.delayFrame()
			}
			v.Ack(news.Frame.N)
		}
	})
}

// recordFrame records a frame with secrets hidden. It drops the frame if it cannot hide them, and reports that, or if
// the user has taken over the page.
func (pr *paneRecorder) recordFrame(p *browser.Pane, f *pane.Frame) (ok bool) {
	picture, err := p.Pictures.RedactFrame(pr.life, f)
	if err != nil {
		pr.log.Debug("a frame is not recorded", "pane", p.State.Info().ID, "error", err)
		return false
	}
	if p.State.Driver() != pane.DriverUser {
		pr.write(recording.Record{
			Pane: p.State.Info().ID, Kind: pane.Browser, Width: f.Width, Height: f.Height,
			Data: picture,
		})
	}
	return true
}

// delayFrame blocks until the next frame may be recorded.
func (pr *paneRecorder) delayFrame() {
	timer := time.NewTimer(minFrameInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-pr.life.Done():
	}
}

// frameFilter decides which frames are recorded. It drops frames while the user drives, and the first one afterwards,
// which may be from before the page was handed back. It also drops a frame that equals the last one, because taking a
// picture of a page makes Chromium draw it again.
type frameFilter struct {
	userDrove bool // at the last frame
	last      []byte
}

func (f *frameFilter) isNew(frame []byte) bool {
	isNew := !bytes.Equal(f.last, frame)
	f.last = frame
	return isNew
}

func (f *frameFilter) canRecord(driver pane.Driver) bool {
	can := driver != pane.DriverUser && !f.userDrove
	f.userDrove = driver == pane.DriverUser
	return can
}
