package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"goalpost/backend/lib/fileio"
	"goalpost/backend/storage/config"
)

func TestWindowPlace_OfTheFormerWindow_IsRead(t *testing.T) {
	cfg, err := config.Open(func(name string) string {
		return map[string]string{"GOALPOST_HOME": t.TempDir(), "HOME": os.Getenv("HOME")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cfg.Close() }()
	w := &window{cfg: cfg}
	if p := w.loadPlace(); p.IsKnown || p.Width != firstWidth || p.startState() != options.Normal {
		t.Errorf("without a former window: %+v", p)
	}
	want := windowPlace{X: 40, Y: 30, Width: 900, Height: 20, Maximised: true}
	if err := fileio.WriteJSON(w.placeFile(), want); err != nil {
		t.Fatal(err)
	}
	want.IsKnown, want.Height = true, minHeight
	if p := w.loadPlace(); p != want || p.startState() != options.Maximised {
		t.Errorf("%+v, want %+v", p, want)
	}
	if err := os.WriteFile(filepath.Join(cfg.State(), "window.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := w.loadPlace(); p.IsKnown || p.Width != firstWidth {
		t.Errorf("of a broken file: %+v", p)
	}
}

func TestWindowPlace_OutsideTheScreen_IsNotUsed(t *testing.T) {
	var screen runtime.Screen
	screen.Size.Width, screen.Size.Height = 1280, 800
	for p, want := range map[windowPlace]bool{
		{X: 0, Y: 0, Width: 900, Height: 600}:     true,
		{X: -700, Y: 20, Width: 900, Height: 600}: true,
		{X: -850, Y: 20, Width: 900, Height: 600}: false,
		{X: 1250, Y: 20, Width: 900, Height: 600}: false,
		{X: 20, Y: 790, Width: 900, Height: 600}:  false,
		{X: 20, Y: -30, Width: 900, Height: 600}:  false,
	} {
		if got := p.isOn(screen); got != want {
			t.Errorf("%+v: %v", p, got)
		}
	}
}
