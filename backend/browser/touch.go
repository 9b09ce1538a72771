package browser

import "context"

// Touched is what acting on an element would set off, as far as the element says.
type Touched struct {
	Link    string       `json:"link"`
	Method  string       `json:"method"` // of the form that it sends, "" if it sends none
	Action  string       `json:"action"`
	Fields  []TouchField `json:"fields"`
	Payment bool         `json:"payment"`
}

// TouchField is one field of a form; passwords and cards come masked.
type TouchField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Touches looks at what a click on an element, or Enter in it, would set off. It
// changes nothing.
func (p *Pane) Touches(ctx context.Context, target string, enter bool) (Touched, error) {
	var t Touched
	err := p.inTurn(ctx, "looking at an element", func(ctx context.Context, pg *page) error {
		return pg.ask(ctx, &t, "touches", target, enter)
	})
	return t, err
}
