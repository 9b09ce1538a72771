package calls

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// MemoryAPI lists and changes the notes about folders that later goals and chats read.
type MemoryAPI struct {
	table  *store.MemoryTable
	folder func(path string) (string, error)
	apiBase
}

// NewMemoryAPI makes the API; ctx is the program's life. folder returns the path that goals in a folder have, or why
// none can be there.
func NewMemoryAPI(
	ctx context.Context, table *store.MemoryTable, folder func(path string) (string, error),
) *MemoryAPI {
	return &MemoryAPI{table, folder, apiBase{ctx}}
}

// List lists the notes about a folder, "" for those about all folders, the newest of a folder first.
func (ma *MemoryAPI) List(dir string) (out []api.MemoryNote, err error) {
	defer ma.recoverProblem(&err)
	list, err := ma.table.List(ma.ctx, dir)
	out = make([]api.MemoryNote, 0, len(list))
	for _, m := range list {
		out = append(out, api.ViewMemory(m))
	}
	return out, err
}

// Add stores a note of the user. It returns the older notes that had to go for it.
func (ma *MemoryAPI) Add(dir, text string) (dropped []api.MemoryNote, err error) {
	defer ma.recoverProblem(&err)
	if !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~") {
		return nil, fault.Invalid("dir", "the folder is not an absolute path",
			"give the folder in which goals should read the note")
	}
	if dir, err = ma.folder(dir); err != nil {
		return nil, err
	}
	return viewDropped(ma.table.Add(ma.ctx, store.Memory{Dir: dir, Text: text}))
}

// Edit replaces the text of a note. It returns the older notes that had to go for it.
func (ma *MemoryAPI) Edit(id, text string) (dropped []api.MemoryNote, err error) {
	defer ma.recoverProblem(&err)
	return viewDropped(ma.table.Edit(ma.ctx, id, text))
}

// Delete deletes a note. Add undoes it.
func (ma *MemoryAPI) Delete(id string) (ok bool, err error) {
	defer ma.recoverProblem(&err)
	return true, explainMemory(ma.table.Delete(ma.ctx, id))
}

func viewDropped(list []store.Memory, err error) ([]api.MemoryNote, error) {
	dropped := make([]api.MemoryNote, 0, len(list))
	for _, m := range list {
		dropped = append(dropped, api.ViewMemory(m))
	}
	return dropped, explainMemory(err)
}

// explainMemory says what to do about an error of the table.
func explainMemory(err error) error {
	if errors.Is(err, store.ErrNoMemory) {
		return fault.New(fault.NotFound, "the note does not exist any more", "open the settings again")
	}
	return err
}
