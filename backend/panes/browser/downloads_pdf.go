package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"goalpost/backend/domain/pane"
)

// PDF writes the page as a PDF into the downloads folder and returns its path.
func (do *Downloads) PDF(ctx context.Context) (string, error) {
	dir := do.state.m.folders.folderFor("")
	if do.state.goalID != "" || dir == "" {
		return "", errors.New("printing: this pane does not save files")
	}
	var out []byte
	err := do.state.withPage("printing", func(pg *page) (err error) {
		out, err = pagePDF(ctx, pg)
		return err
	})
	if err != nil {
		return "", err
	}
	info := do.state.Info()
	path, err := createUnique(dir, FileName(info.Title)+".pdf")
	if err == nil {
		err = os.WriteFile(path, out, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("printing: %w", err)
	}
	size := int64(len(out))
	saved := pane.Download{
		ID:       "pdf-" + filepath.Base(path),
		Name:     filepath.Base(path),
		URL:      info.URL,
		Path:     path,
		State:    pane.Downloaded,
		Received: size,
		Total:    size,
	}
	do.change(func(list []pane.Download) []pane.Download { return append(list, saved) })
	do.keep(saved)
	return path, nil
}

// Save downloads an address instead of showing it.
func (do *Downloads) Save(ctx context.Context, text string) error {
	address, err := do.state.m.rules.validateAddress(text)
	if err != nil {
		return err
	}
	if err := do.driver.checkDriver(ctx); err != nil {
		return err
	}
	addressJSON, err := json.Marshal(address)
	if err != nil {
		return fmt.Errorf("saving: %w", err)
	}
	return do.state.withPage("saving", func(pg *page) error {
		world, err := pg.userPromptsContext(ctx)
		if err != nil {
			return err
		}
		// A file of another site is saved only if the site sends it as an attachment.
		_, err = evaluate(ctx, pg, world, fmt.Sprintf(
			`(() => { const a = document.createElement('a'); a.href = %s; a.download = ''; a.click(); return true; })()`,
			addressJSON))
		return err
	})
}
