package browser

import (
	"context"
	"fmt"
	"strings"
)

// Snapshot is a page in words, for an agent. Text has one line for each thing
// that can be read or used, what is visible first: a ref, a role, and then in
// quotes, cleaned, what the page says. At most about 17 KB.
type Snapshot struct {
	Text      string
	URL       string
	Title     string
	Truncated bool // things were left out, and Text says so
}

// Snapshot looks at the page. Refs stay the same for as long as their element
// is on the page.
func (p *Pane) Snapshot(ctx context.Context) (Snapshot, error) {
	var s Snapshot
	err := p.inTurn(ctx, "looking at the page", func(ctx context.Context, pg *page) (err error) {
		s, err = p.look(ctx, pg)
		return err
	})
	return s, err
}

func (p *Pane) look(ctx context.Context, pg *page) (Snapshot, error) {
	var seen struct {
		Lines  []string `json:"lines"`
		Left   int      `json:"left"`
		Cut    bool     `json:"cut"`
		Width  int      `json:"width"`
		Height int      `json:"height"`
		Scroll int      `json:"scroll"`
		Tall   int      `json:"tall"`
		Title  string   `json:"title"`
	}
	if err := pg.ask(ctx, &seen, "snapshot"); err != nil {
		return Snapshot{}, err
	}
	info := p.Info()
	s := Snapshot{URL: info.URL, Title: clean(seen.Title, 200), Truncated: seen.Left > 0 || seen.Cut}
	var b strings.Builder
	fmt.Fprintf(&b, "page %q at %s\n", s.Title, clean(s.URL, 500))
	fmt.Fprintf(&b, "viewport %dx%d, scrolled to %d of %d\n", seen.Width, seen.Height, seen.Scroll, seen.Tall)
	if info.Loading {
		b.WriteString("it is still loading\n")
	}
	if info.Problem != "" {
		fmt.Fprintf(&b, "note: %s\n", clean(info.Problem, 400))
	}
	for _, line := range seen.Lines {
		b.WriteString(clean(line, 2000))
		b.WriteByte('\n')
	}
	if len(seen.Lines) == 0 {
		b.WriteString("the page shows nothing\n")
	}
	if seen.Left > 0 {
		fmt.Fprintf(&b, "%d more lines are left out: scroll, or name what you look for by its text or with css=\n", seen.Left)
	}
	if seen.Cut {
		b.WriteString("the page is larger than what was looked at\n")
	}
	s.Text = b.String()
	return s, nil
}

// inTurn runs one action of the agent, when the one before is done.
func (p *Pane) inTurn(ctx context.Context, what string, f func(context.Context, *page) error) error {
	return p.alone(ctx, what, func(ctx context.Context, pg *page) error {
		p.dismiss(ctx)
		ctx, calm := p.undisturbed(ctx)
		defer calm(nil)
		return f(ctx, pg)
	})
}

// alone is inTurn that leaves what the page asks open.
func (p *Pane) alone(ctx context.Context, what string, f func(context.Context, *page) error) error {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, cause(ctx))
	case <-p.ctx.Done():
		return fmt.Errorf("%s: %w", what, ErrClosed)
	}
	ctx, loose := p.leased(ctx)
	defer loose(nil)
	if err := cause(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	pg, err := p.current()
	if err == nil {
		err = f(ctx, pg)
	}
	if err != nil {
		p.noteHung(err)
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
