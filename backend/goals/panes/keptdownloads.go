package panes

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"goalpost/backend/domain/pane"
)

const (
	// downloadsRow is the row of the layouts that has the downloads of closed panes, too.
	downloadsRow = "downloads"
	// maxKeptDownloads is how many downloads are kept in the list; the oldest are forgotten first.
	maxKeptDownloads = 100
)

// keptDownloads are the files that the user's pages saved, oldest first, also after their panes have closed. Its
// methods may be called concurrently.
type keptDownloads struct {
	panes *Registry
	mu    sync.Mutex // held while the list is read, changed and saved
}

// KeepDownload adds a file that was saved to the list of downloads. A temporary page leaves nothing behind.
func (b *Browsing) KeepDownload(profile string, d pane.Download) {
	if profile == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := b.kept.change(ctx, func(list []pane.Download) []pane.Download {
		list = slices.DeleteFunc(list, func(o pane.Download) bool { return o.ID == d.ID })
		list = append(list, d)
		return list[max(0, len(list)-maxKeptDownloads):]
	})
	if err != nil {
		b.panes.Log.Warn("a download was not added to the list", "error", err)
	}
}

// KeptDownloads lists the files that the user's pages saved, oldest first.
func (b *Browsing) KeptDownloads(ctx context.Context) ([]pane.Download, error) {
	b.kept.mu.Lock()
	defer b.kept.mu.Unlock()
	return b.kept.read(ctx)
}

// ForgetDownload removes a download from the list, or all if id is "". The files stay.
func (b *Browsing) ForgetDownload(ctx context.Context, id string) error {
	return b.kept.change(ctx, func(list []pane.Download) []pane.Download {
		return slices.DeleteFunc(list, func(d pane.Download) bool { return id == "" || d.ID == id })
	})
}

func (k *keptDownloads) read(ctx context.Context) ([]pane.Download, error) {
	list := []pane.Download{}
	body, err := k.panes.Store.Workspace.Layout(ctx, downloadsRow)
	if err == nil && body != "" {
		err = json.Unmarshal([]byte(body), &list)
	}
	if err != nil {
		return nil, fmt.Errorf("the list of downloads: %w", err)
	}
	return list, nil
}

func (k *keptDownloads) change(ctx context.Context, edit func([]pane.Download) []pane.Download) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	list, err := k.read(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(edit(list))
	if err == nil {
		err = k.panes.Store.Workspace.SaveLayout(ctx, downloadsRow, string(body))
	}
	if err != nil {
		return fmt.Errorf("save the list of downloads: %w", err)
	}
	return nil
}
