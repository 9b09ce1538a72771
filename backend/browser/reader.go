package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// reader reads the page for the agent and changes nothing.
type reader struct {
	state   *state
	driver  *driver
	prompts *prompts
	frames  *frames
	turns   *turns
	targets *targets

	// paymentURL is the address of the page on which a card field was seen. The state's mutex guards
	// it, because it is compared with the current address.
	paymentURL string
}

// Snapshot is a page as text.
type Snapshot = pane.Snapshot

// maxSnapshotBytes limits the lines of one answer, in bytes.
const maxSnapshotBytes = 16 << 10

// lastSnapshot is what the agent last got of a page: all of its lines, so that the agent can
// continue reading or ask for the differences.
type lastSnapshot struct {
	loader proto.NetworkLoaderID // of the document
	url    string
	lines  []string
	cut    bool     // the page has more nodes than were read
	said   []string // lines that the agent got afterwards, one by one
}

// Snapshot reads the page. A ref stays the same as long as its element is on the page.
func (rd *reader) Snapshot(ctx context.Context) (Snapshot, error) {
	return rd.SnapshotPart(ctx, pane.SnapshotOptions{})
}

// SnapshotPart is Snapshot that can continue where the last one was cut, or return only the
// differences.
func (rd *reader) SnapshotPart(ctx context.Context, l pane.SnapshotOptions) (Snapshot, error) {
	var s Snapshot
	err := rd.turns.withReadTurn(ctx, "looking at the page", func(ctx context.Context, pg *page) (err error) {
		last, now := rd.targets.latestSnapshot(), rd.state.shownDocument()
		if l.From > 0 {
			if last.loader != now || l.From > len(last.lines) {
				return errors.New(
					"there is no such place in the last snapshot, or the page is another one now: take a new snapshot")
			}
			s = rd.linesFrom(last, l.From)
			return nil
		}
		var seen pageView
		lacks, err := rd.readUnfinished(pg, func() (err error) {
			seen, err = rd.readPage(ctx, pg)
			return err
		})
		if err != nil {
			return err
		}
		head := rd.snapshotHeader(seen, lacks)
		next := lastSnapshot{loader: now, url: rd.state.Info().URL, lines: seen.lines(), cut: seen.Cut}
		rd.targets.setSnapshot(next)
		if l.Diff && last.loader == now && len(last.lines) > 0 {
			s = rd.snapshotDiff(last, next)
		} else {
			s = rd.linesFrom(next, 0)
		}
		s.Title = sanitize.Line(seen.Title, 200)
		s.Text = head + s.Text
		return nil
	})
	return s, err
}

// pageView is the page as snapshot.js reads it.
type pageView struct {
	Here   []string `json:"-"`      // in view
	There  []string `json:"-"`      // out of view
	InView int      `json:"inView"` // how many of the lines are in view
	Cut    bool     `json:"cut"`
	Width  int      `json:"width"`
	Height int      `json:"height"`
	Scroll int      `json:"scroll"`
	Tall   int      `json:"tall"`
	Title  string   `json:"title"`
	Known  int      `json:"known"` // closed shadow roots that it could read
}

// setLines takes the lines that follow the answer of snapshot.js, "" for none.
func (v *pageView) setLines(text string) {
	v.Here, v.There = nil, nil
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	n := min(max(v.InView, 0), len(lines))
	v.Here, v.There = lines[:n:n], lines[n:]
}

func (v pageView) lines() []string {
	if len(v.There) == 0 {
		return v.Here
	}
	return slices.Concat(v.Here, []string{"outside the visible part of the page:"}, v.There)
}

// readPage reads a page, with the frames of other sites in their places.
func (rd *reader) readPage(ctx context.Context, pg *page) (pageView, error) {
	var v pageView
	rd.frames.numberFrames(ctx, pg)
	// Of a small page most of the time is the way to Chromium and back, so all that a page is asked is
	// asked at once. Closed roots in frames are counted with the script's help.
	var nodes []proto.DOMBackendNodeID
	var written int
	var writtenErr error
	var asked sync.WaitGroup
	asked.Go(func() { nodes = pg.findListeners(ctx) })
	world := pg.worlds.Snapshot.Load()
	isReady := world != nil && world.HasScript.Load()
	if isReady {
		asked.Go(func() { written, writtenErr = pg.countWrittenRoots(ctx) })
	}
	err := pg.callScript(ctx, &v, "takeSnapshot")
	asked.Wait()
	if err != nil {
		return v, err
	}
	if !isReady || documentWasLeft(writtenErr) {
		written, writtenErr = pg.countWrittenRoots(ctx)
	}
	added := pg.injectListeners(ctx, nodes)
	more, err := 0, writtenErr
	if err == nil {
		more, err = pg.injectMissingRoots(ctx, v.Known, written)
	}
	if err != nil && !documentWasLeft(err) {
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
	v.Here, v.There = rd.insertFrames(ctx, pg, v.Here), rd.insertFrames(ctx, pg, v.There)
	return v, nil
}

// insertFrames replaces the placeholders of snapshot.js by the lines of frames.
func (rd *reader) insertFrames(ctx context.Context, pg *page, lines []string) []string {
	places := map[string]*remoteFrame{}
	for _, f := range rd.frames.childrenOf(pg) {
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
		v, err := rd.readPage(ctx, f.page)
		if err != nil {
			out = append(out, indent+"(the frame does not answer)")
			continue
		}
		for _, inner := range slices.Concat(v.Here, v.There) {
			out = append(out, indent+inner)
		}
	}
	return out
}

func isFramePlaceholder(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " "), "\x01")
}

// readUnfinished reads a page and says what it still lacked before or after that, "" for a
// complete page: a page may finish while it is read, and the result may still be incomplete.
func (rd *reader) readUnfinished(pg *page, look func() error) (string, error) {
	lacks := func() string {
		rd.state.mu.Lock()
		defer rd.state.mu.Unlock()
		switch {
		case rd.state.load.setPending():
			return "no document has come to this window yet"
		case rd.state.info.Loading:
			return "it is still loading"
		}
		return ""
	}
	before := lacks()
	err := look()
	pg.engine.DrainEvents()
	if before == "" {
		before = lacks()
	}
	return before, err
}

// snapshotHeader is the text above the lines.
func (rd *reader) snapshotHeader(v pageView, lacks string) string {
	info := rd.state.Info()
	var b strings.Builder
	fmt.Fprintf(&b, "page %q at %s\n", sanitize.Line(v.Title, 200), sanitize.Line(info.URL, 500))
	fmt.Fprintf(&b, "viewport %dx%d, scrolled to %d of %d\n", v.Width, v.Height, v.Scroll, v.Tall)
	if lacks != "" {
		b.WriteString(lacks + "\n")
	}
	if info.Problem != "" {
		fmt.Fprintf(&b, "note: %s\n", sanitize.Line(info.Problem, 400))
	}
	return b.String()
}
