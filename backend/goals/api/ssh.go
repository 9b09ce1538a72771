package api

import (
	"context"

	"goalpost/backend/domain/pane"
)

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
	OK   bool   `json:"ok"` // false = no answer, so that ssh gives up
}

// RemoteSession is a tmux session on a server.
type RemoteSession struct {
	Name     string `json:"name"`
	Created  string `json:"created"`
	Attached int    `json:"attached"` // number of attached clients
	Windows  int    `json:"windows"`
}

// SSHServers is the interface of SSHAPI to the program.
type SSHServers interface {
	SSHServerList
	SSHConnections
}

// SSHServerList manages the user's saved servers, and lists the hosts of ssh's configuration.
type SSHServerList interface {
	Servers(ctx context.Context) ([]pane.SSHServer, error)
	SaveServer(ctx context.Context, s pane.SSHServer) (pane.SSHServer, error)
	DeleteServer(ctx context.Context, id string) error
	ConfigHosts() ([]string, error)
}

// SSHConnections opens and controls terminals that are connected to servers.
type SSHConnections interface {
	RemoteSessions(ctx context.Context, server string) ([]RemoteSession, error)
	OpenSSH(ctx context.Context, in ArgsOpenSSH) (pane.Info, error)
	ConnectSSH(ctx context.Context, in ArgsConnectSSH) (pane.Info, error)
	AnswerSSH(in ArgsAnswer) error
	DestroySession(ctx context.Context, paneID string) error
}

// SSHAPI manages the user's servers and terminals on them.
type SSHAPI struct {
	remotes SSHServers
	apiBase
}

// NewSSHAPI makes the API; ctx is the program's life.
func NewSSHAPI(ctx context.Context, r SSHServers) *SSHAPI { return &SSHAPI{r, apiBase{ctx}} }

// List lists the stored servers by name.
func (s *SSHAPI) List() (out []pane.SSHServer, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.Servers(s.ctx)
}

// Save stores a server. Without an id it is a new one.
func (s *SSHAPI) Save(in pane.SSHServer) (out pane.SSHServer, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.SaveServer(s.ctx, in)
}

// Delete removes a server. Its terminals stay open.
func (s *SSHAPI) Delete(id string) (ok bool, err error) {
	defer s.recoverProblem(&err)
	return true, s.remotes.DeleteServer(s.ctx, id)
}

// Sessions lists the tmux sessions on a server, unattached ones first.
func (s *SSHAPI) Sessions(server string) (out []RemoteSession, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.RemoteSessions(s.ctx, server)
}

// Open opens a new pane with a connection.
func (s *SSHAPI) Open(in ArgsOpenSSH) (out pane.Info, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.OpenSSH(s.ctx, in)
}

// ConfigHosts lists the hosts that ~/.ssh/config and its included files name, without patterns.
func (s *SSHAPI) ConfigHosts() (out []string, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.ConfigHosts()
}

// Connect opens a new pane with a connection to a server by its address, and saves the server.
func (s *SSHAPI) Connect(in ArgsConnectSSH) (out pane.Info, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.ConnectSSH(s.ctx, in)
}

// Answer answers a question of ssh.
func (s *SSHAPI) Answer(in ArgsAnswer) (ok bool, err error) {
	defer s.recoverProblem(&err)
	return true, s.remotes.AnswerSSH(in)
}

// Destroy ends a pane's session on its server and closes the pane.
func (s *SSHAPI) Destroy(id string) (ok bool, err error) {
	defer s.recoverProblem(&err)
	return true, s.remotes.DestroySession(s.ctx, id)
}
