package calls

import (
	"context"

	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/panes"
)

// SSHAPI manages the user's servers and terminals on them.
type SSHAPI struct {
	remotes *panes.SSH
	apiBase
}

// NewSSHAPI makes the API; ctx is the program's life.
func NewSSHAPI(ctx context.Context, r *panes.SSH) *SSHAPI { return &SSHAPI{r, apiBase{ctx}} }

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

// Test connects to a server once, without a terminal. The error names the part that fails.
func (s *SSHAPI) Test(server pane.SSHServer) (ok bool, err error) {
	defer s.recoverProblem(&err)
	return true, s.remotes.TestServer(s.ctx, server)
}

// Sessions lists the tmux sessions on a server, unattached ones first.
func (s *SSHAPI) Sessions(server string) (out []api.RemoteSession, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.RemoteSessions(s.ctx, server)
}

// Open opens a new pane with a connection.
func (s *SSHAPI) Open(in api.ArgsOpenSSH) (out pane.Info, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.OpenSSH(s.ctx, in)
}

// ConfigHosts lists the hosts that ~/.ssh/config and its included files name, without patterns.
func (s *SSHAPI) ConfigHosts() (out []string, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.ConfigHosts()
}

// KeyFiles offers private keys, and folders in which they may be, while the user types the path of one; first those in
// ~/.ssh.
func (s *SSHAPI) KeyFiles(typed string) (out []string, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.KeyFiles(typed), nil
}

// Connect opens a new pane with a connection to a server by its address, and saves the server.
func (s *SSHAPI) Connect(in api.ArgsConnectSSH) (out pane.Info, err error) {
	defer s.recoverProblem(&err)
	return s.remotes.ConnectSSH(s.ctx, in)
}

// Answer answers a question of ssh, and saves the answer in the keyring if the user wants that.
func (s *SSHAPI) Answer(in api.ArgsAnswer) (ok bool, err error) {
	defer s.recoverProblem(&err)
	return true, s.remotes.AnswerSSH(s.ctx, in)
}

// Destroy ends a pane's session on its server and closes the pane.
func (s *SSHAPI) Destroy(id string) (ok bool, err error) {
	defer s.recoverProblem(&err)
	return true, s.remotes.DestroySession(s.ctx, id)
}
