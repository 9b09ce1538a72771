package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

// Reader reads the page for the agent and changes nothing.
type Reader struct {
	state   *State
	driver  *Driver
	prompts *Prompts
	frames  *frames
	turns   *turns
	targets *targets

	mu         sync.Mutex // guards paymentURL
	paymentURL string     // the address of the page on which a card field was seen
}

// Snapshot is the accessibility tree of a page as text.
type Snapshot = pane.Snapshot

// maxSnapshotBytes limits the lines of one answer, in bytes.
const maxSnapshotBytes = 16 << 10

// lastSnapshot is the last snapshot that the agent took: all of its lines, so that the agent can
// continue reading or ask for the differences.
type lastSnapshot struct {
	loader     proto.NetworkLoaderID // of the document
	url        string
	lines      []string
	truncated  bool     // the page has more nodes than were read
	extraLines []string // lines that the agent got afterwards, one by one
}

// Snapshot reads the page. A ref stays the same as long as its element is on the page.
func (re *Reader) Snapshot(ctx context.Context) (Snapshot, error) {
	return re.SnapshotPart(ctx, pane.SnapshotOptions{})
}

// SnapshotPart is Snapshot that can continue where the last one was cut, or return only the
// differences.
func (re *Reader) SnapshotPart(ctx context.Context, l pane.SnapshotOptions) (Snapshot, error) {
	var s Snapshot
	err := re.turns.withReadTurn(ctx, "reading the page", func(ctx context.Context, pg *page) (err error) {
		last, now := re.targets.latestSnapshot(), re.state.shownDocument()
		if l.From > 0 {
			if last.loader != now || l.From > len(last.lines) {
				return errors.New(
					"this position is not in the last snapshot, or the page has changed: take a new snapshot")
			}
			s = re.linesFrom(last, l.From)
			return nil
		}
		var view pageView
		lacks, err := re.readUnfinished(pg, func() (err error) {
			view, err = re.readPage(ctx, pg)
			return err
		})
		if err != nil {
			return err
		}
		head := re.snapshotHeader(view, lacks)
		next := lastSnapshot{loader: now, url: re.state.Info().URL, lines: view.lines(), truncated: view.Cut}
		re.targets.setSnapshot(next)
		if l.Diff && last.loader == now && len(last.lines) > 0 {
			s = re.snapshotDiff(last, next)
		} else {
			s = re.linesFrom(next, 0)
		}
		s.Title = text.SanitizeLine(view.Title, 200)
		s.Text = head + s.Text
		return nil
	})
	return s, err
}

// pageView is the page as page.js reads it.
type pageView struct {
	VisibleLines []string `json:"-"`      // in view
	OtherLines   []string `json:"-"`      // out of view
	InView       int      `json:"inView"` // how many of the lines are in view
	Cut          bool     `json:"cut"`
	Width        int      `json:"width"`
	Height       int      `json:"height"`
	Scroll       int      `json:"scroll"`
	Tall         int      `json:"tall"`
	Title        string   `json:"title"`
	Known        int      `json:"known"` // closed shadow roots that page.js could read
}

// setLines takes the lines that follow the answer of page.js, "" for none.
func (p *pageView) setLines(text string) {
	p.VisibleLines, p.OtherLines = nil, nil
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	n := min(max(p.InView, 0), len(lines))
	p.VisibleLines, p.OtherLines = lines[:n:n], lines[n:]
}

func (p pageView) lines() []string {
	if len(p.OtherLines) == 0 {
		return p.VisibleLines
	}
	return slices.Concat(p.VisibleLines, []string{"outside the visible part of the page:"}, p.OtherLines)
}

// readPage reads a page, with the frames of other sites in their places.
func (re *Reader) readPage(ctx context.Context, pg *page) (pageView, error) {
	var v pageView
	if pg.isSilent() {
		return v, errFrameUnresponsive
	}
	re.frames.numberFrames(ctx, pg)
	// For a small page most of the time is the round trip to Chromium, so all requests are made at
	// once. The script helps to count closed roots in frames.
	var nodes []proto.DOMBackendNodeID
	var total int
	var writtenErr error
	var requests sync.WaitGroup
	requests.Go(func() { nodes = pg.findListeners(ctx) })
	world := pg.worlds.Page.Load()
	isReady := world != nil && world.HasScript.Load()
	if isReady {
		requests.Go(func() { total, writtenErr = pg.countWrittenRoots(ctx) })
	}
	err := pg.callScript(ctx, &v, "takeSnapshot")
	requests.Wait()
	if err != nil {
		return v, err
	}
	if !isReady || isDocumentGone(writtenErr) {
		total, writtenErr = pg.countWrittenRoots(ctx)
	}
	added := pg.injectListeners(ctx, nodes)
	more, err := 0, writtenErr
	if err == nil {
		more, err = pg.injectMissingRoots(ctx, v.Known, total)
	}
	if err != nil && !isDocumentGone(err) {
		return v, err
	}
	if more > 0 && err == nil { // there may be listeners in them
		added += pg.injectListeners(ctx, pg.findListeners(ctx))
	}
	if more > 0 || added > 0 || err != nil {
		v = pageView{}
		if err := pg.callScript(ctx, &v, "takeSnapshot"); err != nil {
			return v, err
		}
	}
	v.VisibleLines, v.OtherLines = re.insertFrames(ctx, pg, v.VisibleLines), re.insertFrames(ctx, pg, v.OtherLines)
	return v, nil
}

// insertFrames replaces the placeholders of page.js with the lines of frames.
func (re *Reader) insertFrames(ctx context.Context, pg *page, lines []string) []string {
	places := map[string]*remoteFrame{}
	for _, f := range re.frames.childrenOf(pg) {
		places[fmt.Sprintf("\x01%d", f.number.Load())] = f
	}
	if len(places) == 0 && !slices.ContainsFunc(lines, isFramePlaceholder) {
		return lines
	}
	var out []string
	for _, line := range lines {
		if !isFramePlaceholder(line) {
			out = append(out, line)
			continue
		}
		name := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(name)]
		f := places[name]
		if f == nil {
			continue // it was removed
		}
		v, err := re.readPage(ctx, f.page)
		if err != nil {
			out = append(out, indent+"(the frame does not answer)")
			continue
		}
		for _, inner := range slices.Concat(v.VisibleLines, v.OtherLines) {
			out = append(out, indent+inner)
		}
	}
	return out
}

func isFramePlaceholder(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " "), "\x01")
}

// readUnfinished calls look, which reads a page, and returns what the page lacked before or after that, "" for a
// complete page. A page that finishes in the meantime may give an incomplete result.
func (re *Reader) readUnfinished(pg *page, look func() error) (string, error) {
	lacks := func() string {
		re.state.mu.Lock()
		defer re.state.mu.Unlock()
		switch {
		case re.state.load.awaitsDocument():
			return "this window has no document yet"
		case re.state.info.Loading:
			return "it is still loading"
		}
		return ""
	}
	before := lacks()
	err := look()
	pg.process.DrainEvents()
	if before == "" {
		before = lacks()
	}
	return before, err
}

// snapshotHeader is the text above the lines.
func (re *Reader) snapshotHeader(v pageView, lacks string) string {
	info := re.state.Info()
	var b strings.Builder
	fmt.Fprintf(&b, "page %q at %s\n", text.SanitizeLine(v.Title, 200), text.SanitizeLine(info.URL, 500))
	fmt.Fprintf(&b, "viewport %dx%d, scrolled to %d of %d\n", v.Width, v.Height, v.Scroll, v.Tall)
	if lacks != "" {
		b.WriteString(lacks + "\n")
	}
	if info.Problem != "" {
		fmt.Fprintf(&b, "note: %s\n", text.SanitizeLine(info.Problem, 400))
	}
	return b.String()
}
