package session

import (
	"context"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// goalMemory keeps what one goal notes about its folder.
type goalMemory struct {
	table *store.MemoryTable
	dir   string
	goal  goal.ID
}

func (g goalMemory) Remember(ctx context.Context, text string) (dropped []string, err error) {
	list, err := g.table.Add(ctx, store.Memory{Dir: g.dir, Text: text, Goal: g.goal})
	if err != nil {
		return nil, fmt.Errorf("remember: %w", err)
	}
	for _, m := range list {
		dropped = append(dropped, m.Text)
	}
	return dropped, nil
}

// memoryDir returns the folder about which a goal notes what later goals should know: that of the user, not a worktree
// that is removed with the goal.
func memoryDir(g goal.Goal) string {
	if g.Worktree != nil {
		return g.Worktree.Folder
	}
	return g.Policy.Dir
}

// listMemory lists what an agent learns of earlier goals in a folder.
func (reg *Registry) listMemory(ctx context.Context, dir string) (notes []string) {
	list, err := reg.Store.Memory.List(ctx, dir)
	if err != nil {
		reg.Log.Warn("the notes about a folder cannot be read", "error", err)
	}
	for _, m := range list {
		notes = append(notes, m.Text)
	}
	return notes
}
