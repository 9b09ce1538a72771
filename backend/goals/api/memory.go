package api

import (
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// MemoryNote is what an agent or the user noted about a folder for later goals and chats there.
type MemoryNote struct {
	ID        string    `json:"id"`
	Dir       string    `json:"dir"`
	Text      string    `json:"text"`
	Goal      goal.ID   `json:"goal"` // that wrote it, "" for the user
	WrittenAt time.Time `json:"written_at"`
}

// ViewMemory returns a note as the page and --json show it.
func ViewMemory(m store.Memory) MemoryNote { return MemoryNote(m) }
