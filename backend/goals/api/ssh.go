package api

// ArgsOpenSSH describes the connection to open in a pane.
type ArgsOpenSSH struct {
	Server  string `json:"server"`  // id
	Session string `json:"session"` // tmux session on the server; "" = a new one
	Cols    int    `json:"cols"`
	Rows    int    `json:"rows"`
}

// ArgsConnectSSH is the address of a server to connect to.
type ArgsConnectSSH struct {
	Target string `json:"target"` // host, user@host or user@host:port
	Cols   int    `json:"cols"`
	Rows   int    `json:"rows"`
}

// ArgsAnswer is the user's answer to a question of ssh.
type ArgsAnswer struct {
	Pane string `json:"pane"`
	Ask  string `json:"ask"` // the question that was answered
	Text string `json:"text"`
	OK   bool   `json:"ok"`   // false = no answer, so that ssh gives up
	Save bool   `json:"save"` // for the next connections to this server
}

// RemoteSession is a tmux session on a server.
type RemoteSession struct {
	Name     string `json:"name"`
	Created  string `json:"created"`
	Attached int    `json:"attached"` // number of attached clients
	Windows  int    `json:"windows"`
}
