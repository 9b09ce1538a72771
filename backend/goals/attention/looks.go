package attention

import (
	"sync"

	"goalpost/backend/domain/goal"
)

// Looks knows which goals the user sees: those that a connected page shows while it has the focus. All methods may be
// called concurrently.
type Looks struct {
	mu    sync.Mutex
	pages map[*Page]goal.ID
}

// Page is one connected page.
type Page struct{ looks *Looks }

// Open adds a page, which shows no goal yet.
func (l *Looks) Open() *Page { return &Page{l} }

// LooksAt says which goal the page shows while it has the focus, "" for none.
func (p *Page) LooksAt(id goal.ID) {
	p.looks.mu.Lock()
	defer p.looks.mu.Unlock()
	if id == "" {
		delete(p.looks.pages, p)
		return
	}
	if p.looks.pages == nil {
		p.looks.pages = map[*Page]goal.ID{}
	}
	p.looks.pages[p] = id
}

// Close removes the page.
func (p *Page) Close() { p.LooksAt("") }

// Sees reports whether the user sees a goal.
func (l *Looks) Sees(id goal.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, shown := range l.pages {
		if shown == id {
			return true
		}
	}
	return false
}
