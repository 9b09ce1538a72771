package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
)

type browserDownloadArgs struct {
	Pane        string `json:"pane"`
	WaitSeconds int    `json:"wait_seconds,omitempty"`
}

func browserDownload(r Deps) (Tool, error) {
	return defineTool("browser_download", readEffect, func(ctx context.Context, a browserDownloadArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (_ goal.Result, err error) {
			list := p.Downloads.List()
			if a.WaitSeconds > 0 {
				list, err = p.Downloads.AwaitDownloads(ctx, waitDuration(a.WaitSeconds, time.Second, maxPageWait))
			}
			var lines []string
			for _, d := range list {
				lines = append(lines, r.folder.describeDownload(d))
			}
			return newestLines("the downloads of pane "+a.Pane, lines, "the page has not downloaded a file"), err
		})
	})
}

// describeDownload describes a file, with its path in the folder if it is complete.
func (f folder) describeDownload(d pane.Download) string {
	switch d.State {
	case pane.Downloaded:
		path := d.Path
		if rel, err := filepath.Rel(f.dir, d.Path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
		return fmt.Sprintf("%s is there, %d bytes", path, d.Received)
	case pane.Canceled:
		return fmt.Sprintf("%q did not arrive", d.Name)
	case pane.Downloading, pane.Arrived:
	}
	return fmt.Sprintf("%q is in progress, %d of %d bytes", d.Name, d.Received, d.Total)
}
