package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/folder"
	"goalpost/backend/pane"
)

// partialDir is the folder, inside that of the downloads, for files on their way.
const partialDir = ".incoming"

// goalDownloads is the folder in a goal's own where its downloads lie.
const goalDownloads = "downloads"

// folder is where downloads of the user go, or the folder of a goal, which has
// its own for them; "" refuses them.
func (m *Manager) folder(goalID string) string {
	find := m.cfg.Downloads
	if goalID != "" {
		find = m.cfg.GoalFolder
	}
	if find == nil {
		return ""
	}
	return find(goalID)
}

// partialDownloadDir is the folder for files on their way. A goal's is none of its own:
// its programs could put a link there that leads elsewhere.
func (m *Manager) partialDownloadDir(goalID, dir string) string {
	if goalID != "" {
		return filepath.Join(m.cfg.Dir, partialDir, FileName(goalID))
	}
	return filepath.Join(dir, partialDir)
}

// setDownloadBehavior tells Chromium what to do with files that pages send.
func (m *Manager) setDownloadBehavior(goalID string, id proto.BrowserBrowserContextID) (proto.BrowserSetDownloadBehavior, error) {
	deny := proto.BrowserSetDownloadBehavior{
		Behavior: proto.BrowserSetDownloadBehaviorBehaviorDeny, BrowserContextID: id, EventsEnabled: true,
	}
	dir := m.folder(goalID)
	if dir == "" {
		return deny, nil
	}
	path := m.partialDownloadDir(goalID, dir)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return deny, fmt.Errorf("the folder for downloads: %w", err)
	}
	allow := deny
	allow.Behavior, allow.DownloadPath = proto.BrowserSetDownloadBehaviorBehaviorAllowAndName, path
	return allow, nil
}

// onDownload takes the news that a page sends a file.
func (p *Pane) onDownload(guid, address, name string) {
	name = FileName(name)
	if p.scriptless || p.m.folder(p.goalID) == "" {
		p.noticeForBoth("the download of %q was refused: this pane does not save files", name)
		return
	}
	begun := false
	p.change(func() {
		if slices.ContainsFunc(p.downloads, func(d pane.Download) bool { return d.ID == guid }) {
			return
		}
		begun = true
		d := pane.Download{ID: guid, Name: name, URL: sanitize.Line(address, 2000), State: pane.Downloading}
		p.downloads = append(slices.Clone(p.downloads), d)
		if over := len(p.downloads) - 50; over > 0 {
			p.downloads = p.downloads[over:]
		}
		p.updateOverlay()
	})
	if begun {
		p.noteDuringAction(fmt.Sprintf("it downloads %q", name))
	}
}

// FileName makes a name that somebody else chose fit for a folder.
func FileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, sanitize.Line(name, 150))
	if name = strings.TrimLeft(name, ". "); name == "" {
		return "download"
	}
	return name
}

// markDownloadsInterrupted says of what was under way that it will not arrive: the browser
// that fetched it is gone. mu is held.
func (p *Pane) markDownloadsInterrupted() {
	p.downloads = slices.Clone(p.downloads)
	for i := range p.downloads {
		if p.downloads[i].State == pane.Downloading {
			p.downloads[i].State = pane.Canceled
		}
	}
	p.updateOverlay()
}

func (m *Manager) onProgress(e *cdp.Event) {
	var ev proto.BrowserDownloadProgress
	if !decode(e, &ev) {
		return
	}
	p := m.downloadOwner(ev.GUID)
	if p == nil {
		return
	}
	done := ev.State == proto.BrowserDownloadProgressStateCompleted
	p.updateDownload(ev.GUID, func(d *pane.Download) {
		d.Received, d.Total = int64(ev.ReceivedBytes), int64(ev.TotalBytes)
		if ev.State == proto.BrowserDownloadProgressStateCanceled {
			d.State = pane.Canceled
		}
	})
	if done {
		m.runAsync(p, func(context.Context) error { return p.finishDownload(ev.GUID) })
	}
}

func (m *Manager) downloadOwner(guid string) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.panes {
		if _, ok := p.download(guid); ok {
			return p
		}
	}
	return nil
}

func (p *Pane) download(guid string) (pane.Download, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.downloads, func(d pane.Download) bool { return d.ID == guid })
	if i < 0 {
		return pane.Download{}, false
	}
	return p.downloads[i], true
}

func (p *Pane) updateDownload(guid string, f func(*pane.Download)) {
	p.change(func() {
		p.downloads = slices.Clone(p.downloads)
		for i := range p.downloads {
			if p.downloads[i].ID == guid {
				f(&p.downloads[i])
			}
		}
		p.updateOverlay()
	})
}

// finishDownload gives a finished file its name. One that is there already is never replaced.
func (p *Pane) finishDownload(guid string) error {
	d, ok := p.download(guid)
	if !ok {
		return nil
	}
	dir := p.m.folder(p.goalID)
	path, err := p.m.moveDownload(p.goalID, dir, d.Name, filepath.Join(p.m.partialDownloadDir(p.goalID, dir), guid))
	if err != nil {
		p.updateDownload(guid, func(d *pane.Download) { d.State = pane.Canceled })
		return fmt.Errorf("keeping the download %q: %w", d.Name, err)
	}
	p.updateDownload(guid, func(d *pane.Download) { d.State, d.Path, d.Name = pane.Downloaded, path, filepath.Base(path) })
	p.noteDuringAction(fmt.Sprintf("the download %q is there", path))
	return nil
}

// moveDownload moves a file that has come to where it belongs. In a goal's folder that
// goes through a root, which no link leads out of.
func (m *Manager) moveDownload(goalID, dir, name, from string) (string, error) {
	if goalID != "" {
		path, err := moveInto(dir, name, from)
		return path, errors.Join(err, os.Remove(from))
	}
	path, err := createUnique(dir, name)
	if err == nil {
		err = os.Rename(from, path)
	}
	if err != nil {
		return "", fmt.Errorf("moving the file: %w", err)
	}
	return path, nil
}

func moveInto(dir, name, from string) (path string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("the goal's folder: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	to, _, err := folder.OpenParent(root, filepath.Join(goalDownloads, "name"))
	if err != nil {
		return "", fmt.Errorf("the goal's folder for downloads: %w", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	in, err := os.Open(from)
	if err != nil {
		return "", fmt.Errorf("the file that came: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, at, err := createWithSuffix(func(at string) (*os.File, error) {
		return to.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}, name)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, folder.ChownLike(to, out), out.Close()); err != nil {
		return "", fmt.Errorf("copying the file: %w", err)
	}
	return filepath.Join(dir, goalDownloads, at), nil
}

// createUnique makes an empty file with a name that was free.
func createUnique(dir, name string) (string, error) {
	f, at, err := createWithSuffix(func(at string) (*os.File, error) {
		return os.OpenFile(filepath.Join(dir, at), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}, name)
	if err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", fmt.Errorf("a name for the file: %w", err)
	}
	return filepath.Join(dir, at), nil
}

// createWithSuffix makes a file under the first name like the given one that is not taken.
func createWithSuffix(create func(name string) (*os.File, error), name string) (*os.File, string, error) {
	ext := filepath.Ext(name)
	for n := range 1000 {
		at := name
		if n > 0 {
			at = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
		}
		f, err := create(at)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("a name for the file: %w", err)
		}
		return f, at, nil
	}
	return nil, "", fmt.Errorf("there are a thousand files named %q", name)
}

// Downloads lists what the pane's pages sent, oldest first, at most 50.
func (p *Pane) Downloads() []pane.Download {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.downloads)
}

// AwaitDownloads waits until no download is under way and at least one has ended
// , or for at most
// limit, and lists them.
func (p *Pane) AwaitDownloads(ctx context.Context, limit time.Duration) ([]pane.Download, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrTimeout)
	defer cancel()
	ctx, loose := p.withLease(ctx)
	defer loose(nil)
	ctx, end := cdp.JoinContexts(ctx, p.ctx)
	defer end(nil)
	err := p.wait(ctx, func() bool {
		return len(p.downloads) > 0 && !slices.ContainsFunc(p.downloads, func(d pane.Download) bool { return d.State == pane.Downloading })
	})
	if err != nil && !errors.Is(err, ErrTimeout) {
		return nil, fmt.Errorf("waiting for downloads: %w", err)
	}
	return p.Downloads(), nil
}

// CancelDownload gives up a download that is under way.
func (p *Pane) CancelDownload(ctx context.Context, id string) error {
	d, ok := p.download(id)
	if !ok || d.State != pane.Downloading {
		return errors.New("canceling a download: it is not under way")
	}
	return p.withPage("canceling a download", func(pg *page) error {
		return pg.engine.Do(ctx, pg.engine.Alive, "", callLimit, "canceling", func(c proto.Client) error {
			return cdp.CallNoResult(c, proto.BrowserCancelDownload{GUID: id, BrowserContextID: pg.engine.existingContext(p.goalID)})
		})
	})
}
