package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// TestGoalDownload_FolderIsLink_StaysInGoalFolder: a goal's downloads are saved in the goal's own folder, even if its
// programs replace the subfolder with a link. A file that is there already is not saved again.
func TestGoalDownload_FolderIsLink_StaysInGoalFolder(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	b := newFixture(t, func(c *Config) {
		c.GoalFolder = func(id string) string {
			if id == "g1" {
				return folder
			}
			return ""
		}
	})
	p, agent := leased(b, "b1", "dialogs.html")
	for _, want := range []string{"report.bin", "report.bin", "report (1).bin"} {
		if want != "report.bin" { // the one before has another content now
			b.ok(os.WriteFile(filepath.Join(folder, "downloads", "report.bin"), bytes.Repeat([]byte("y"), 100), 0o600))
		}
		before := len(p.Downloads.List())
		b.act(p.Mouse.Click(agent, "Download"))
		b.until(p, "given "+want, func(pane.Info) bool {
			list := p.Downloads.List()
			return len(list) > before && list[len(list)-1].Path == filepath.Join(folder, "downloads", want)
		})
		if content, err := os.ReadFile(filepath.Join(folder, "downloads", want)); err != nil || len(content) != 100 {
			t.Errorf("%s: %d bytes, %v", want, len(content), err)
		}
	}

	b.ok(os.Rename(filepath.Join(folder, "downloads"), filepath.Join(folder, "before")))
	inside := filepath.Join(folder, "inside") // any link is refused: it could lead to git's own folder
	b.ok(os.Mkdir(inside, 0o700))
	for _, to := range []string{other, inside} {
		b.ok(os.Symlink(to, filepath.Join(folder, "downloads")))
		b.act(p.Mouse.Click(agent, "Download"))
		b.until(p, "refused", func(i pane.Info) bool {
			return strings.Contains(i.Notice, "report.bin") && strings.Contains(i.Notice, to)
		})
		if left, err := os.ReadDir(to); err != nil || len(left) != 0 {
			t.Errorf("in %s there is %v (%v)", to, left, err)
		}
		b.ok(os.Remove(filepath.Join(folder, "downloads")))
	}
	if left, err := os.ReadDir(b.folders.partialDownloadDir("g1", folder)); err != nil || len(left) != 0 {
		t.Errorf("on its way there is still %v (%v)", left, err)
	}
}
