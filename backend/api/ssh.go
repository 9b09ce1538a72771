package api

import (
	"context"

	"goalpost/backend/pane"
)

// ArgsOpenSSH says which session of which server to open in a pane.
type ArgsOpenSSH struct {
	Server  string `json:"server"`  // id
	Session string `json:"session"` // of tmux there; "" = a new one
	Cols    int    `json:"cols"`
	Rows    int    `json:"rows"`
}

// ArgsAnswer is what the user says to a question of ssh.
type ArgsAnswer struct {
	Pane string `json:"pane"`
	Ask  string `json:"ask"` // the question that was answered
	Text string `json:"text"`
	OK   bool   `json:"ok"` // false: no answer; ssh gives up
}

// RemoteSession is one of tmux's on a server.
type RemoteSession struct {
	Name     string `json:"name"`
	Created  string `json:"created"`
	Attached int    `json:"attached"` // how many look at it
	Windows  int    `json:"windows"`
}

// SSHServers is what the area of SSH asks of the program.
type SSHServers interface {
	Servers(ctx context.Context) ([]pane.SSHServer, error)
	SaveServer(ctx context.Context, s pane.SSHServer) (pane.SSHServer, error)
	DeleteServer(ctx context.Context, id string) error
	RemoteSessions(ctx context.Context, server string) ([]RemoteSession, error)
	OpenSSH(ctx context.Context, in ArgsOpenSSH) (pane.Info, error)
	AnswerSSH(in ArgsAnswer) error
	DestroySession(ctx context.Context, paneID string) error
}

// SSHAPI is servers, and terminals on them.
type SSHAPI struct {
	remotes SSHServers
	apiBase
}

// NewSSHAPI makes the area; ctx is the program's life.
func NewSSHAPI(ctx context.Context, r SSHServers) *SSHAPI { return &SSHAPI{r, apiBase{ctx}} }

// List gives the stored servers by name.
func (a *SSHAPI) List() (out []pane.SSHServer, err error) {
	defer a.recoverProblem(&err)
	return a.remotes.Servers(a.ctx)
}

// Save keeps a server; without an id it is a new one.
func (a *SSHAPI) Save(in pane.SSHServer) (out pane.SSHServer, err error) {
	defer a.recoverProblem(&err)
	return a.remotes.SaveServer(a.ctx, in)
}

// Delete forgets a server; terminals that are open on it stay.
func (a *SSHAPI) Delete(id string) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.remotes.DeleteServer(a.ctx, id)
}

// Sessions lists tmux's sessions on a server, the free ones first.
func (a *SSHAPI) Sessions(server string) (out []RemoteSession, err error) {
	defer a.recoverProblem(&err)
	return a.remotes.RemoteSessions(a.ctx, server)
}

// Open connects a new pane.
func (a *SSHAPI) Open(in ArgsOpenSSH) (out pane.Info, err error) {
	defer a.recoverProblem(&err)
	return a.remotes.OpenSSH(a.ctx, in)
}

// Answer gives ssh what it asks for.
func (a *SSHAPI) Answer(in ArgsAnswer) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.remotes.AnswerSSH(in)
}

// Destroy ends a pane's session on its server and closes the pane.
func (a *SSHAPI) Destroy(id string) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.remotes.DestroySession(a.ctx, id)
}
