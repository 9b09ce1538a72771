package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"goalpost/backend/lib/fileio"
)

// The size of the first window, and the smallest one.
const (
	firstWidth, firstHeight = 1440, 900
	minWidth, minHeight     = 800, 500
)

// windowPlace is where the window is on the screen, for the next start. A maximised window keeps the place and the size
// to which it returns.
type windowPlace struct {
	X         int  `json:"x"`
	Y         int  `json:"y"`
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
	IsKnown   bool `json:"-"` // whether there was a former window
}

// placeInterval is how often the place is read: GTK does not tell Wails that the window was moved, and a process that
// is killed saves nothing at its end.
const placeInterval = time.Second

// loadPlace reads the place of the former window.
func (w *window) loadPlace() windowPlace {
	p := windowPlace{Width: firstWidth, Height: firstHeight}
	switch err := fileio.ReadJSON(w.placeFile(), &p); {
	case err == nil:
		p.IsKnown = true
	case !errors.Is(err, fs.ErrNotExist):
		p = windowPlace{Width: firstWidth, Height: firstHeight}
		w.cfg.Log().Warn("the place of the window was not read", "error", err)
	}
	p.Width, p.Height = max(p.Width, minWidth), max(p.Height, minHeight)
	return p
}

func (w *window) placeFile() string { return filepath.Join(w.cfg.State(), "window.json") }

// startState is how the window opens.
func (p windowPlace) startState() options.WindowStartState {
	if p.Maximised {
		return options.Maximised
	}
	return options.Normal
}

// isOn reports whether enough of the window is on a screen for the user to move it.
func (p windowPlace) isOn(screen runtime.Screen) bool {
	const least = 100
	return p.X > least-p.Width && p.Y >= 0 && p.X < screen.Size.Width-least && p.Y < screen.Size.Height-least
}

// restorePlace moves the window to its former place. With several screens, and under Wayland, the desktop chooses:
// Wails does not say where a screen begins.
func (w *window) restorePlace() {
	screens, err := runtime.ScreenGetAll(w.ctx)
	if err != nil || len(screens) != 1 || !w.place.IsKnown || !w.place.isOn(screens[0]) {
		return
	}
	runtime.WindowSetPosition(w.ctx, w.place.X, w.place.Y)
}

// followPlace saves the place of the window whenever it has changed, until ctx ends.
func (w *window) followPlace(ctx context.Context) {
	tick := time.NewTicker(placeInterval)
	defer tick.Stop()
	saved := w.place
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.done:
			return
		case <-tick.C:
		}
		next := w.readPlace(saved)
		if next == saved {
			continue
		}
		if err := fileio.WriteJSON(w.placeFile(), next); err != nil {
			w.cfg.Log().Warn("the place of the window was not saved", "error", err)
		}
		saved = next
	}
}

// readPlace returns where the window is now, given where it was. A window that is minimised or in full screen has no
// place of its own.
func (w *window) readPlace(before windowPlace) windowPlace {
	next := before
	next.Maximised = runtime.WindowIsMaximised(w.ctx)
	if runtime.WindowIsNormal(w.ctx) {
		next.X, next.Y = runtime.WindowGetPosition(w.ctx)
		next.Width, next.Height = runtime.WindowGetSize(w.ctx)
	}
	return next
}
