package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"

	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

const exitFailed = 7

// openWindow finds or starts the host process, opens the window and returns when it is closed. goalID is the goal to
// show first, or a part of its id; "" shows none.
func openWindow(assets fs.FS, goalID string) int {
	if _, err := fs.Stat(assets, "index.html"); err != nil {
		return fail(errors.New("this program was built without its page: run make build"))
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return fail(
			errors.New("there is no display; goalpost run, goalpost serve and other subcommands work without one " +
				"(see goalpost --help)"))
	}
	err := runWindow(assets, goalID)
	var restart *restartError
	if errors.As(err, &restart) {
		err = restartProgram(restart.later)
	}
	if err != nil {
		problem := api.ToProblem(err)
		fmt.Fprintln(os.Stderr, "goalpost:", problem.Message)
		if problem.Hint != "" {
			fmt.Fprintln(os.Stderr, " ", problem.Hint)
		}
		return exitFailed
	}
	return 0
}

func runWindow(assets fs.FS, goalID string) (err error) {
	cfg, err := config.Open(os.Getenv)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	defer func() { err = errors.Join(err, cfg.Close()) }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &window{
		cfg: cfg, host: hostsocket.NewClient(cfg.State(), version),
		up: make(chan struct{}), done: make(chan struct{}), signals: make(chan os.Signal, 2),
	}
	defer w.host.Close()
	w.requested.goalID = goalID
	w.place = w.loadPlace()
	first, err := w.attach(ctx, goalID)
	page := &assetserver.Options{Assets: assets}
	older := w.joinable(err)
	if older != nil && takeLater() {
		w.host, w.isOther = older, true
		page = &assetserver.Options{Handler: older.Page()}
		first, err = w.host.Attach(ctx, hostsocket.Attach{Window: true, GoalID: goalID, Env: os.Environ()})
	}
	var other *hostsocket.WindowError
	var unreadable *store.UnreadableError
	switch {
	case errors.As(err, &other):
		fmt.Printf("%v; it is in front now.\n", other)
		return nil
	case errors.As(err, &unreadable):
		return runRepairWindow(assets, cfg.State(), unreadable, false, func(context.Context) error { return nil })
	case errors.Is(err, hostsocket.ErrOtherVersion):
		return runRepairWindow(assets, cfg.State(), err, older != nil, w.host.StopForNext)
	case err != nil:
		return err
	}
	cfg.Log().Info("window attached", "elapsed_ms", time.Since(processStart()).Milliseconds())
	defer w.handleSignals()()
	defer close(w.done)
	go w.follow(ctx, first)
	if err := wails.Run(w.options(page, []any{&Host{ctx, w.host}})); err != nil {
		return fmt.Errorf("window: %w", err)
	}
	if w.restarts.Load() {
		return &restartError{}
	}
	return nil
}

func (w *window) options(page *assetserver.Options, areas []any) *options.App {
	width, height := cmp.Or(w.place.Width, firstWidth), cmp.Or(w.place.Height, firstHeight)
	return &options.App{
		Title: "Goalpost", Width: width, Height: height, MinWidth: minWidth, MinHeight: minHeight,
		WindowStartState: w.place.startState(),
		BackgroundColour: options.NewRGB(0x0d, 0x0f, 0x13),
		AssetServer:      page,
		Bind:             areas,
		ErrorFormatter:   formatProblem,
		OnStartup:        w.opened,
		OnBeforeClose:    w.beforeClose,
		LogLevel:         logger.ERROR, LogLevelProduction: logger.ERROR,
		Linux: &linux.Options{ProgramName: "goalpost", WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
	}
}

// formatProblem returns a refused call's Problem as JSON text. Wails makes an Error of it in the page, whose message
// can only be text.
func formatProblem(err error) any {
	text, marshalErr := json.Marshal(api.ToProblem(err))
	if marshalErr != nil {
		return err.Error()
	}
	return string(text)
}

// processStart returns when this process started, before it loaded its libraries, to within 10 ms. It returns the
// present time if the kernel does not report it.
func processStart() time.Time {
	const startField, ticks = 19, 100 // after the name in parentheses; ticks a second
	stat, err1 := os.ReadFile("/proc/self/stat")
	uptime, err2 := os.ReadFile("/proc/uptime")
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	up, _, _ := strings.Cut(string(uptime), " ")
	seconds, err3 := strconv.ParseFloat(up, 64)
	if err1 != nil || err2 != nil || err3 != nil || len(fields) <= startField {
		return time.Now()
	}
	start, err := strconv.ParseFloat(fields[startField], 64)
	if err != nil {
		return time.Now()
	}
	return time.Now().Add(-time.Duration((seconds - start/ticks) * float64(time.Second)))
}

// generateBindings passes the APIs to Wails' binding generator. They are not connected to anything.
func generateBindings(assets fs.FS) error {
	err := wails.Run(&options.App{AssetServer: &assetserver.Options{Assets: assets}, Bind: []any{
		&Host{}, &calls.DatabaseAPI{},
	}})
	if err != nil {
		return fmt.Errorf("bindings: %w", err)
	}
	return nil
}

// version is set with the linker's -X flag.
var version = "unversioned"

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "goalpost:", err)
	return 1
}
