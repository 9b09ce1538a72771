package pane

// Workspace is a tab of the window: it has a name, a folder, panes and goals.
type Workspace struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Folder string `json:"folder"` // where its new terminals open, "" for the home folder
	// the user's panes in it, and panes of goals that the user shows beside them
	Panes []string `json:"panes"`
	Goals []string `json:"goals"` // goals that were started in it
}

// Workspaces are all workspaces in the order of their tabs: at least one. They are replaced as a whole and never
// modified.
type Workspaces struct {
	List   []Workspace `json:"list"`
	Active string      `json:"active"` // where the user acted last: new panes belong to it
	// when the panes of goals that have ended close, in milliseconds since 1970, by goal; 0: not while the user looks
	// at them, or a program of the goal serves
	Closing map[string]int64 `json:"closing"`
}
