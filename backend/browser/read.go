package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/pane"
)

// Seek finds what fits a text, a role and a selector: one line each, as in a
// snapshot, with a ref and where it lies on the viewport; at most 50.
func (p *Pane) Seek(ctx context.Context, s pane.FindOptions) (string, error) {
	if strings.TrimSpace(s.Text+s.Role+s.CSS) == "" {
		return "", errors.New("looking for something: name a text, a role or a selector")
	}
	if s.Attributes == nil {
		s.Attributes = []string{}
	}
	var found findings
	silent, lacks := false, ""
	err := p.looking(ctx, "looking for something", func(ctx context.Context, pg *page) (err error) {
		lacks, err = p.unfinished(pg, func() (err error) {
			found, silent, err = p.seek(ctx, pg, s)
			return err
		})
		return err
	})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, line := range found.Lines {
		if line = clean(line, 4000); b.Len()+len(line) > mostLines {
			found.Lines = found.Lines[:i]
			break
		}
		b.WriteString(line + "\n")
	}
	switch {
	case found.Count == 0:
		b.WriteString("nothing on the page fits\n")
	case found.Count > len(found.Lines):
		fmt.Fprintf(&b, "%d fit; these are the first %d: say more about what you look for\n", found.Count, len(found.Lines))
	}
	if silent {
		fmt.Fprintf(&b, "(%s)\n", inSilence)
	}
	if lacks != "" {
		fmt.Fprintf(&b, "(%s)\n", lacks)
	}
	return b.String(), nil
}

// findings are what fits, one line each, and how many things do.
type findings struct {
	Lines []string
	Count int
}

// seek looks in the page and its parts, and says whether one of those did not answer.
func (p *Pane) seek(ctx context.Context, pg *page, s pane.FindOptions) (found findings, silent bool, err error) {
	for _, view := range p.views(pg) {
		var one findings
		_, _ = view.open(ctx)
		err := view.ask(ctx, &one, "seek", s.Text, s.Role, s.CSS, s.Attributes)
		switch {
		case err == nil:
			found.Lines, found.Count = append(found.Lines, one.Lines...), found.Count+one.Count
		case view == pg:
			return found, silent, err
		}
		silent = silent || view.silent(err)
	}
	p.say(found.Lines)
	return found, silent, nil
}

// Read gives what the page says as Markdown, at most 16,000 characters of it.
func (p *Pane) Read(ctx context.Context, r pane.ReadOptions) (pane.PageText, error) {
	var out struct {
		Text        string
		Next, Total int
	}
	lacks := ""
	err := p.looking(ctx, "reading the page", func(ctx context.Context, pg *page) (err error) {
		lacks, err = p.unfinished(pg, func() error {
			_, _ = pg.open(ctx)
			_, err := p.askAt(ctx, pg, &out, "read", r.Target, r.Tables, r.Whole, max(r.From, 0), 16000)
			return err
		})
		return err
	})
	if err != nil {
		return pane.PageText{}, err
	}
	text := lines(out.Text)
	switch {
	case out.Total == 0 && r.Tables:
		text = "there is no table here"
	case out.Total == 0:
		text = "there is nothing to read here"
	case out.Text == "":
		text = fmt.Sprintf("there is nothing from %d on: the text has %d characters", r.From, out.Total)
	}
	if n := p.frames(); n > 0 && r.Target == "" && out.Next == 0 {
		text += fmt.Sprintf("\n\n(%d frames of other sites are not in this text: browser_snapshot tells of them; target with a ref in one reads it)", n)
	}
	if lacks != "" {
		text += fmt.Sprintf("\n\n(%s)", lacks)
	}
	return pane.PageText{Text: text, Next: out.Next, Total: out.Total}, nil
}

// frames counts the frames of other sites.
func (p *Pane) frames() int {
	pg, err := p.current()
	if err != nil {
		return 0
	}
	return len(p.views(pg)) - 1
}

// lines cleans a text of several lines: they stay, and so does their indentation.
func lines(text string) string {
	list := strings.Split(text, "\n")
	for i, line := range list {
		bare := strings.TrimLeft(line, " ")
		list[i] = line[:len(line)-len(bare)] + clean(bare, 1<<20)
	}
	return strings.Join(list, "\n")
}
