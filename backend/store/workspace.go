package store

// workspaceTables keep what the user's workspace remembers: layout, terminals, servers, bookmarks and visits.
type workspaceTables struct {
	*connection
}
