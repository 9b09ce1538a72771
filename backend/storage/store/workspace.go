package store

import "context"

// WorkspaceTables store the state of the user's workspace: layouts, terminals, servers, bookmarks and visits.
type WorkspaceTables struct {
	*connection
}

// Layout reads a saved layout of the page, "" if there is none.
func (wt *WorkspaceTables) Layout(ctx context.Context, name string) (string, error) {
	return readValue[string](ctx, wt.read, "layout",
		"SELECT coalesce((SELECT body FROM layouts WHERE name = ?), '')", name)
}

// SaveLayout saves a layout of the page, which is JSON.
func (wt *WorkspaceTables) SaveLayout(ctx context.Context, name, body string) error {
	return wt.commitStatement(ctx, "layout",
		"INSERT INTO layouts (name, body) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET body = excluded.body", name, body)
}
