// Package chromium finds, starts and ends Chromium, and manages its folders: those of profiles,
// and private ones that are deleted with the process.
package chromium

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/process"
	"goalpost/backend/panes/browser/internal/cdp"
)

// LaunchOptions describe how to start a Chromium.
type LaunchOptions struct {
	Launcher    process.Launcher
	Path        string // "" = Find
	ProxyServer string // "" = none
	Log         *slog.Logger
	StartLimit  time.Duration // for Chromium to answer
	EndLimit    time.Duration // for Chromium to write its files before it is killed
	Folder      func() (*RunDir, error)
	OnEvent     func(*cdp.Event)
	OnFrame     func(cdp.ScreencastFrame)
}

// Browser is one running Chromium with its folder. It ends by Close, by the end of this program
// (its pipe closes), or unexpectedly (Conn.Alive ends).
type Browser struct {
	*cdp.Conn
	Process process.Process
	Dir     *RunDir
	stderr  *stderrTail
	watched sync.WaitGroup
	limit   time.Duration // see LaunchOptions.EndLimit
}

// Launch starts Chromium and waits until it answers.
func Launch(ctx context.Context, o LaunchOptions) (*Browser, error) {
	path := o.Path
	if path == "" {
		var err error
		if path, err = Find(); err != nil {
			return nil, err
		}
	}
	dir, err := o.Folder()
	if err != nil {
		return nil, err
	}
	b, err := startProcess(ctx, path, dir, o)
	if err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	err = b.Do(ctx, b.Alive, "", o.StartLimit, "starting Chromium", func(c proto.Client) error {
		if _, err := cdp.Call(c, proto.BrowserGetVersion{}); err != nil {
			return err
		}
		return cdp.CallNoResult(c, proto.TargetSetDiscoverTargets{Discover: true})
	})
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.StartLimit)
		defer cancel()
		closeErr := b.Close(closing)
		if output := b.stderr.String(); output != "" && ctx.Err() == nil { // nobody gave up: Chromium failed
			err = fmt.Errorf("%w; its output: %s", err, output)
		}
		return nil, errors.Join(err, closeErr)
	}
	return b, nil
}

func startProcess(ctx context.Context, path string, dir *RunDir, o LaunchOptions) (*Browser, error) {
	var files []*os.File
	pair := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w, err //nolint:wrapcheck // wrapped below, for all three
	}
	inR, inW, err1 := pair()
	outR, outW, err2 := pair()
	errR, errW, err3 := pair()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("pipes for Chromium: %w", errors.Join(err, closeFiles(files...)))
	}
	// Not the caller's context: Chromium outlives the request that started it.
	proc, err := o.Launcher.Start(context.WithoutCancel(ctx), process.Command{
		Argv:  append([]string{path}, chromiumFlags(dir.Path, o.ProxyServer)...),
		Env:   chromiumEnv(dir.Path, os.Environ()),
		Dir:   dir.Path,
		Files: []*os.File{nil, nil, errW, inR, outW},
	})
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, errors.Join(err, closeFiles(files...)))
	}
	if err := closeFiles(inR, outW, errW); err != nil {
		o.Log.Debug("closing the child's pipe ends", "error", err)
	}
	b := &Browser{
		Process: proc,
		Dir:     dir,
		stderr:  newStderrTail(errR),
		limit:   o.EndLimit,
	}
	b.Conn = cdp.Open(outR, inW, o.Log, o.OnEvent, o.OnFrame)
	// A child process of Chromium may hold the pipe after Chromium itself has ended.
	b.watched.Go(func() {
		<-proc.Done()
		if err := b.ClosePipe(); err != nil {
			o.Log.Debug("closing the pipe", "error", err)
		}
	})
	return b, nil
}

// Close ends Chromium and waits for everything that belongs to it. It must be called once, also
// for one that has ended unexpectedly.
func (b *Browser) Close(ctx context.Context) error {
	b.EndCalls(cdp.ErrClosed)
	err := b.CloseWrite()
	timer := time.NewTimer(b.limit)
	defer timer.Stop()
	select {
	case <-b.Process.Done():
	case <-timer.C:
		err = errors.Join(err, b.kill())
	case <-ctx.Done():
		err = errors.Join(err, b.kill())
	}
	b.watched.Wait()
	b.WaitIdle()
	b.stderr.close()
	return errors.Join(err, b.Dir.Remove())
}

func (b *Browser) kill() error {
	if err := b.Process.Signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending Chromium: %w", err)
	}
	<-b.Process.Done()
	return nil
}

func closeFiles(files ...*os.File) error {
	var err error
	for _, f := range files {
		err = errors.Join(err, f.Close())
	}
	return err
}
