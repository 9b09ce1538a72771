package browser

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/folder"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// downloadFolders decides where downloads are saved. It is immutable.
type downloadFolders struct {
	cfg *Config
}

// Downloads are the files that pages sent.
type Downloads struct {
	state    *State
	activity *Activity
	driver   *Driver

	mu   sync.Mutex // guards list; never held during a call of another part
	list []pane.Download
}

// partialDir is the subfolder for unfinished downloads.
const partialDir = ".incoming"

// goalDownloads is the subfolder for downloads in a goal's folder.
const goalDownloads = "downloads"

// folderFor returns the folder for downloads of the user or of a goal; "" refuses them.
func (d *downloadFolders) folderFor(goalID string) string {
	find := d.cfg.Downloads
	if goalID != "" {
		find = d.cfg.GoalFolder
	}
	if find == nil {
		return ""
	}
	return find(goalID)
}

// partialDownloadDir returns the folder for unfinished downloads. It is never inside a goal's
// folder, where the goal's programs could replace it with a link.
func (d *downloadFolders) partialDownloadDir(goalID, dir string) string {
	if goalID != "" {
		return filepath.Join(d.cfg.Dir, partialDir, FileName(goalID))
	}
	return filepath.Join(dir, partialDir)
}

// setDownloadBehavior configures where Chromium saves the files that pages send.
func (d *downloadFolders) setDownloadBehavior(
	goalID string, id proto.BrowserBrowserContextID,
) (proto.BrowserSetDownloadBehavior, error) {
	deny := proto.BrowserSetDownloadBehavior{
		Behavior: proto.BrowserSetDownloadBehaviorBehaviorDeny, BrowserContextID: id, EventsEnabled: true,
	}
	dir := d.folderFor(goalID)
	if dir == "" {
		return deny, nil
	}
	path := d.partialDownloadDir(goalID, dir)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return deny, fmt.Errorf("the folder for downloads: %w", err)
	}
	allow := deny
	allow.Behavior, allow.DownloadPath = proto.BrowserSetDownloadBehaviorBehaviorAllowAndName, path
	return allow, nil
}

// onDownload handles the start of a download.
func (do *Downloads) onDownload(guid, address, name string) {
	name = FileName(name)
	if do.state.scriptless || do.state.m.folders.folderFor(do.state.goalID) == "" {
		do.activity.noticeForBoth("the download of %q was refused: this pane does not save files", name)
		return
	}
	isNew := false
	do.change(func(list []pane.Download) []pane.Download {
		if slices.ContainsFunc(list, func(d pane.Download) bool { return d.ID == guid }) {
			return list
		}
		isNew = true
		d := pane.Download{ID: guid, Name: name, URL: text.SanitizeLine(address, 2000), State: pane.Downloading}
		if do.state.asksWhere() {
			d.Asks, d.Path = true, filepath.Join(do.state.m.folders.folderFor(""), name)
		}
		list = append(list, d)
		return list[max(0, len(list)-50):]
	})
	if isNew {
		do.activity.noteDuringAction(fmt.Sprintf("it downloads %q", name))
	}
}

// FileName turns a name that a page or a server chose into a valid file name.
func FileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, text.SanitizeLine(name, 150))
	if name = strings.TrimLeft(name, ". "); name == "" {
		return "download"
	}
	return name
}

// markDownloadsInterrupted marks unfinished downloads as failed: the browser that fetched them is
// gone. The caller holds the state's mutex.
func (do *Downloads) markDownloadsInterrupted() {
	do.changeLocked(func(list []pane.Download) []pane.Download {
		for i := range list {
			if list[i].State == pane.Downloading {
				list[i].State, list[i].Asks, list[i].Path = pane.Canceled, false, ""
			}
		}
		return list
	})
}

func (m *Manager) onProgress(e *cdp.Event) {
	var ev proto.BrowserDownloadProgress
	if !decodeEvent(e, &ev) {
		return
	}
	p := m.downloadOwner(ev.GUID)
	if p == nil {
		return
	}
	done := ev.State == proto.BrowserDownloadProgressStateCompleted
	p.Downloads.updateDownload(ev.GUID, func(d *pane.Download) {
		d.Received, d.Total = int64(ev.ReceivedBytes), int64(ev.TotalBytes)
		if ev.State == proto.BrowserDownloadProgressStateCanceled {
			d.State, d.Asks, d.Path = pane.Canceled, false, ""
		}
	})
	if done {
		p.State.runAsync(func(context.Context) error { return p.Downloads.finishDownload(ev.GUID) })
	}
}

func (m *Manager) downloadOwner(guid string) *Pane {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.panes {
		if _, ok := p.Downloads.download(guid); ok {
			return p
		}
	}
	return nil
}

func (do *Downloads) download(guid string) (pane.Download, bool) {
	do.mu.Lock()
	defer do.mu.Unlock()
	i := slices.IndexFunc(do.list, func(d pane.Download) bool { return d.ID == guid })
	if i < 0 {
		return pane.Download{}, false
	}
	return do.list[i], true
}

func (do *Downloads) updateDownload(guid string, f func(*pane.Download)) {
	do.change(func(list []pane.Download) []pane.Download {
		for i := range list {
			if list[i].ID == guid {
				f(&list[i])
			}
		}
		return list
	})
}

// finishDownload gives a finished file its name. It never replaces an existing file.
func (do *Downloads) finishDownload(guid string) error {
	do.updateDownload(guid, func(d *pane.Download) {
		if d.Asks {
			d.State = pane.Arrived
		}
	})
	d, ok := do.download(guid)
	if !ok || d.Asks {
		return nil
	}
	path, err := do.state.m.folders.moveDownload(do.state.goalID, d, do.partial(guid))
	if err != nil {
		do.updateDownload(guid, func(d *pane.Download) { d.State = pane.Canceled })
		return fmt.Errorf("saving the download %q: %w", d.Name, err)
	}
	d.State, d.Path, d.Name = pane.Downloaded, path, filepath.Base(path)
	do.updateDownload(guid, func(shown *pane.Download) { *shown = d })
	do.keep(d)
	do.activity.noteDuringAction(fmt.Sprintf("the download %q is complete", path))
	return nil
}

// keep reports a file of the user that was saved.
func (do *Downloads) keep(d pane.Download) {
	if do.state.goalID == "" && do.state.m.cfg.OnSaved != nil {
		do.state.m.cfg.OnSaved(do.state.profile, d)
	}
}

// partial returns where Chromium writes a download.
func (do *Downloads) partial(guid string) string {
	folders := &do.state.m.folders
	return filepath.Join(folders.partialDownloadDir(do.state.goalID, folders.folderFor(do.state.goalID)), guid)
}

// moveDownload moves a finished file to where the user wants it, or to the folder for downloads. In a goal's folder it
// uses an os.Root, so that no link leads out of it.
func (d *downloadFolders) moveDownload(goalID string, download pane.Download, from string) (string, error) {
	dir, name := d.folderFor(goalID), download.Name
	if goalID != "" {
		path, err := moveInto(dir, name, from)
		return path, errors.Join(err, os.Remove(from))
	}
	if download.Path != "" {
		dir, name = filepath.Split(download.Path)
	}
	path, err := createUnique(dir, name)
	if err == nil {
		err = moveFile(from, path)
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
		return "", fmt.Errorf("the downloaded file: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, at, err := createWithSuffix(func(at string) (*os.File, error) {
		f, err := to.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) && isSameFile(to, at, in) {
			return nil, nil
		}
		return f, err //nolint:wrapcheck // createWithSuffix wraps it
	}, name)
	if err != nil || out == nil {
		return filepath.Join(dir, goalDownloads, at), err
	}
	_, err = in.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	if err = errors.Join(err, folder.ChownLike(to, out), out.Close()); err != nil {
		return "", fmt.Errorf("copying the file: %w", err)
	}
	return filepath.Join(dir, goalDownloads, at), nil
}

// isSameFile reports whether a folder has a file with the content of a downloaded one.
func isSameFile(dir *os.Root, name string, downloaded *os.File) bool {
	info, err := dir.Lstat(name)
	size, seekErr := downloaded.Seek(0, io.SeekEnd)
	if err != nil || seekErr != nil || !info.Mode().IsRegular() || info.Size() != size {
		return false
	}
	there, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a program may replace it by a pipe
	if err != nil {
		return false
	}
	defer func() { _ = there.Close() }()
	sum := func(r io.Reader) (sum [sha256.Size]byte, err error) {
		h := sha256.New()
		n, err := io.Copy(h, io.LimitReader(r, size))
		if err == nil && n < size {
			err = io.ErrUnexpectedEOF
		}
		return [sha256.Size]byte(h.Sum(nil)), err
	}
	a, err := sum(there)
	b, ownErr := sum(io.NewSectionReader(downloaded, 0, size))
	return err == nil && ownErr == nil && a == b
}

// createUnique creates an empty file under a name that is not taken.
func createUnique(dir, name string) (string, error) {
	f, at, err := createWithSuffix(func(at string) (*os.File, error) {
		return os.OpenFile(filepath.Join(dir, at), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}, name)
	if err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", fmt.Errorf("creating the file: %w", err)
	}
	return filepath.Join(dir, at), nil
}

// createWithSuffix creates a file under the first name like the given one that is not taken. If create returns no file,
// nor an error, that name is returned without a file.
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
			return nil, "", fmt.Errorf("creating the file: %w", err)
		}
		return f, at, nil
	}
	return nil, "", fmt.Errorf("there are a thousand files named %q", name)
}

// List lists the downloads of the pane, oldest first, at most 50.
func (do *Downloads) List() []pane.Download {
	do.mu.Lock()
	defer do.mu.Unlock()
	return slices.Clone(do.list)
}

// AwaitDownloads waits until no download is running and at least one has ended, or until limit
// has passed, and lists them.
func (do *Downloads) AwaitDownloads(ctx context.Context, limit time.Duration) ([]pane.Download, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrTimeout)
	defer cancel()
	ctx, endLease := do.driver.withLease(ctx)
	defer endLease(nil)
	ctx, end := cdp.JoinContexts(ctx, do.state.ctx)
	defer end(nil)
	err := do.state.wait(ctx, func() bool {
		list := do.List()
		return len(list) > 0 && !slices.ContainsFunc(list, func(d pane.Download) bool {
			return d.State == pane.Downloading
		})
	})
	if err != nil && !errors.Is(err, ErrTimeout) {
		return nil, fmt.Errorf("waiting for downloads: %w", err)
	}
	return do.List(), nil
}

// CancelDownload cancels a running download.
func (do *Downloads) CancelDownload(ctx context.Context, id string) error {
	d, ok := do.download(id)
	if ok && d.State == pane.Arrived {
		do.updateDownload(id, func(d *pane.Download) { d.State, d.Asks, d.Path = pane.Canceled, false, "" })
		if err := os.Remove(do.partial(id)); err != nil {
			return fmt.Errorf("canceling a download: %w", err)
		}
		return nil
	}
	if !ok || d.State != pane.Downloading {
		return errors.New("canceling a download: it is not running")
	}
	return do.state.withPage("canceling a download", func(pg *page) error {
		return pg.process.Do(ctx, pg.process.Alive, "", pg.callLimit(), "canceling", func(c proto.Client) error {
			return cdp.CallNoResult(c, proto.BrowserCancelDownload{
				GUID:             id,
				BrowserContextID: pg.process.existingContext(do.state.goalID),
			})
		})
	})
}

// change replaces the list by what edit makes of a copy, shows it to the viewers, and wakes those who wait for it.
func (do *Downloads) change(edit func([]pane.Download) []pane.Download) {
	do.state.change(func() { do.changeLocked(edit) })
}

// changeLocked is change for a caller that holds the state's mutex.
func (do *Downloads) changeLocked(edit func([]pane.Download) []pane.Download) {
	do.mu.Lock()
	do.list = edit(slices.Clone(do.list))
	list := append([]pane.Download{}, do.list...)
	do.mu.Unlock()
	do.state.updateOverlay(func(o *pane.Overlay) { o.Downloads = list })
}
