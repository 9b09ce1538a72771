package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/process"
)

// chromium is one running Chromium with its folder. It ends by close, by the
// end of this program (its pipe closes), or by itself (conn.alive ends).
type chromium struct {
	*cdp.Conn
	process process.Process
	dir     *runDir
	stderr  *stderrTail
	watched sync.WaitGroup
	ending  time.Duration // see limits
}

// launch starts Chromium and waits until it answers.
func launch(ctx context.Context, cfg Config, folder func() (*runDir, error), onEvent func(*cdp.Event), onFrame func(cdp.ScreencastFrame)) (*chromium, error) {
	path := cfg.Path
	if path == "" {
		var err error
		if path, err = Find(); err != nil {
			return nil, err
		}
	}
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	b, err := start(ctx, path, dir, cfg, onEvent, onFrame)
	if err != nil {
		return nil, errors.Join(err, dir.remove())
	}
	err = b.Do(ctx, b.Alive, "", launchLimit, "starting Chromium", func(c proto.Client) error {
		if _, err := cdp.Call(c, proto.BrowserGetVersion{}); err != nil {
			return err
		}
		return cdp.CallNoResult(c, proto.TargetSetDiscoverTargets{Discover: true})
	})
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), launchLimit)
		defer cancel()
		closeErr := b.close(closing)
		if said := b.stderr.String(); said != "" {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		return nil, errors.Join(err, closeErr)
	}
	return b, nil
}

func start(ctx context.Context, path string, dir *runDir, cfg Config, onEvent func(*cdp.Event), onFrame func(cdp.ScreencastFrame)) (*chromium, error) {
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
		return nil, fmt.Errorf("pipes for Chromium: %w", errors.Join(err, closeAll(files...)))
	}
	// Not the caller's context: Chromium outlives the request that started it.
	proc, err := cfg.Launcher.Start(context.WithoutCancel(ctx), process.Command{
		Argv:  append([]string{path}, flags(dir.path, cfg.ProxyServer)...),
		Env:   chromiumEnv(dir.path, os.Environ()),
		Dir:   dir.path,
		Files: []*os.File{nil, nil, errW, inR, outW},
	})
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, errors.Join(err, closeAll(files...)))
	}
	if err := closeAll(inR, outW, errW); err != nil {
		cfg.Log.Debug("closing the child's pipe ends", "error", err)
	}
	b := &chromium{process: proc, dir: dir, stderr: newTail(errR), ending: cfg.limits.ending}
	b.Conn = cdp.Open(outR, inW, cfg.Log, onEvent, onFrame)
	// A helper of Chromium may hold the pipe after Chromium itself is gone.
	b.watched.Go(func() {
		<-proc.Done()
		if err := b.ClosePipe(); err != nil {
			cfg.Log.Debug("closing the pipe", "error", err)
		}
	})
	return b, nil
}

// close ends Chromium and waits for everything that belongs to it. It may be
// called on one that has ended by itself, and only once.
func (b *chromium) close(ctx context.Context) error {
	b.EndCalls(cdp.ErrClosed)
	err := b.CloseWrite()
	patience := time.NewTimer(b.ending)
	defer patience.Stop()
	select {
	case <-b.process.Done():
	case <-patience.C:
		err = errors.Join(err, b.kill())
	case <-ctx.Done():
		err = errors.Join(err, b.kill())
	}
	b.watched.Wait()
	b.WaitIdle()
	b.stderr.close()
	return errors.Join(err, b.dir.remove())
}

func (b *chromium) kill() error {
	if err := b.process.Signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending Chromium: %w", err)
	}
	<-b.process.Done()
	return nil
}

func closeAll(files ...*os.File) error {
	var err error
	for _, f := range files {
		err = errors.Join(err, f.Close())
	}
	return err
}
