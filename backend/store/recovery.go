package store

// recovery pauses goals whose process has ended.
type recovery struct {
	*connection
	goals   *goalTable
	journal *journal
	history *history
	locks   *goalLocks
}
