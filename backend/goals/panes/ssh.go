package panes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/process"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/ssh"
	"goalpost/backend/panes/terminal"
)

// SSH manages the user's servers and the terminals that are connected to them.
type SSH struct {
	panes      *Registry
	background *background

	Client *ssh.Client
	Logins Logins // has the answers that the user has saved
}

// Servers lists the saved servers.
func (ss *SSH) Servers(ctx context.Context) ([]pane.SSHServer, error) {
	list, err := ss.panes.Store.Workspace.Servers(ctx)
	if list == nil {
		list = []pane.SSHServer{}
	}
	return list, err
}

// SaveServer saves a server.
func (ss *SSH) SaveServer(ctx context.Context, s pane.SSHServer) (pane.SSHServer, error) {
	return ss.panes.Store.Workspace.SaveServer(ctx, s)
}

// DeleteServer deletes a saved server.
func (ss *SSH) DeleteServer(ctx context.Context, id string) error {
	return ss.panes.Store.Workspace.DeleteServer(ctx, id)
}

// TestServer connects to a server once, which need not be saved.
func (ss *SSH) TestServer(ctx context.Context, s pane.SSHServer) error {
	ctx, cancel := context.WithTimeout(ctx, sideCommandTimeout)
	defer cancel()
	return ss.Client.Test(ctx, s)
}

// sideCommandTimeout bounds a command on a server outside of the terminals. ssh itself gives up a little earlier.
const sideCommandTimeout = 12 * time.Second

// RemoteSessions lists the tmux sessions on a server.
func (ss *SSH) RemoteSessions(ctx context.Context, server string) ([]api.RemoteSession, error) {
	s, err := ss.panes.Store.Workspace.Server(ctx, server)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, sideCommandTimeout)
	defer cancel()
	list, err := ss.Client.Sessions(ctx, s)
	if err != nil {
		return nil, unreachableError(err)
	}
	out := []api.RemoteSession{}
	for _, one := range list {
		out = append(out, api.RemoteSession{
			Name:     one.Name,
			Created:  one.Created.Format(time.RFC3339),
			Attached: one.Attached,
			Windows:  one.Windows,
		})
	}
	return out, nil
}

// RunRemoteCheck runs a program of a check on the user's server with that name.
func (ss *SSH) RunRemoteCheck(ctx context.Context, name string, argv []string) (process.Output, error) {
	list, err := ss.panes.Store.Workspace.Servers(ctx)
	if err != nil {
		return process.Output{}, err
	}
	names := make([]string, 0, len(list))
	for _, s := range list {
		if s.DisplayName() == name || s.ID == name {
			return ss.Client.Run(ctx, s, argv)
		}
		names = append(names, s.DisplayName())
	}
	return process.Output{},
		fmt.Errorf("there is no server %q; the saved servers are: %s", name, cmp.Or(strings.Join(names, ", "), "none"))
}

// unreachableError marks an unknown error as a failure of the server or the network.
func unreachableError(err error) error {
	if problem := api.ToProblem(err); problem.Code != fault.Internal {
		return problem
	}
	return fault.New(fault.Unavailable, err.Error(), "check the server's address, and that ssh reaches it from a terminal")
}

// OpenSSH opens a pane and connects it to a server.
func (ss *SSH) OpenSSH(ctx context.Context, in api.ArgsOpenSSH) (pane.Info, error) {
	server, err := ss.panes.Store.Workspace.Server(ctx, in.Server)
	if err != nil {
		return pane.Info{}, err
	}
	session := in.Session
	if session == "" {
		session = ssh.NewSession()
	}
	s, err := ss.connectPane(ctx, server, session, false, terminal.Options{
		ID:   ss.panes.NewID(pane.Terminal),
		Cols: in.Cols,
		Rows: in.Rows,
	})
	if err != nil {
		return pane.Info{}, err
	}
	return s.Info(), nil
}

// ConfigHosts lists the hosts of the user's ssh configuration.
func (ss *SSH) ConfigHosts() ([]string, error) {
	list, err := ssh.ConfigHosts(homeDir())
	if list == nil {
		list = []string{}
	}
	if err != nil {
		return list, fmt.Errorf("reading ssh's configuration: %w", err)
	}
	return list, nil
}

// KeyFiles returns what may complete the path of a private key that the user types.
func (*SSH) KeyFiles(typed string) []string { return ssh.KeyFiles(homeDir(), typed) }

// ConnectSSH opens a pane for a server by its address. It saves a server that is not in the list yet, so that its
// sessions are found again after a restart.
func (ss *SSH) ConnectSSH(ctx context.Context, in api.ArgsConnectSSH) (pane.Info, error) {
	server, err := pane.ParseSSHTarget(in.Target)
	if err != nil {
		return pane.Info{}, err
	}
	list, err := ss.panes.Store.Workspace.Servers(ctx)
	if err != nil {
		return pane.Info{}, err
	}
	same := func(s pane.SSHServer) bool {
		return s.Host == server.Host && s.User == server.User && s.Port == server.Port
	}
	if i := slices.IndexFunc(list, same); i >= 0 {
		server = list[i]
	} else if server, err = ss.panes.Store.Workspace.SaveServer(ctx, server); err != nil {
		return pane.Info{}, err
	}
	return ss.OpenSSH(ctx, api.ArgsOpenSSH{Server: server.ID, Cols: in.Cols, Rows: in.Rows})
}

// connectPane opens the terminal of a connection and supervises it.
func (ss *SSH) connectPane(
	ctx context.Context, server pane.SSHServer, session string, wasConnected bool, o terminal.Options,
) (*terminal.Session, error) {
	link, err := ss.Client.New(ctx, o.ID, server, session, wasConnected)
	if err != nil {
		return nil, unreachableError(err)
	}
	if o.Title == "" {
		o.Title = server.DisplayName()
	}
	o.Dir, o.Argv, o.Env, o.Scrollback = homeDir(), link.Argv(), link.Env(), ss.panes.Scrollback()
	o.Note.Server, o.Note.Session = server.DisplayName(), link.Session()
	s, err := ss.panes.Terminals.Open(ctx, ss.panes.Programs, o)
	if err != nil {
		link.Close()
		return nil, fmt.Errorf("open terminal: %w", err)
	}
	if !o.Asleep {
		ss.OnLinkState(o.ID, link.State()) // ssh may have asked a question before the terminal existed
		ss.superviseLink(link, s)
	}
	return s, nil
}

// superviseLink follows a connection until its terminal is closed or ssh has ended for good.
func (ss *SSH) superviseLink(link *ssh.Connection, s *terminal.Session) {
	ss.background.work.Go(func() { link.Supervise(ss.background.ctx, s) })
}

// OnLinkState shows the state of a connection on its pane.
func (ss *SSH) OnLinkState(id string, state ssh.State) {
	s, err := ss.panes.Terminals.Get(id)
	if err != nil {
		return // not open yet, or closed
	}
	s.SetMeta(func(n *terminal.PaneMeta) {
		n.Ask, n.Secret, n.AskAgain, n.Problem = state.Ask, state.Secret, state.AskAgain, state.Problem
	})
}

// AnswerSSH answers a question of ssh, and saves the answer if the user wants that. One that cannot be saved is given
// to ssh anyway.
func (ss *SSH) AnswerSSH(ctx context.Context, in api.ArgsAnswer) error {
	link, ok := ss.Client.Connection(in.Pane)
	if !ok {
		return NotFoundError(in.Pane)
	}
	if !link.Answer(in.Ask, in.Text, in.OK) {
		return fault.New(fault.Conflict, "ssh no longer asks this question", "look at the pane: it has gone on or ended")
	}
	if !in.Save || !in.OK {
		return nil
	}
	if err := ss.Logins.Save(ctx, link.Server().Origin(), in.Ask, in.Text); err != nil {
		return fmt.Errorf("ssh has the answer, but it is not saved: %w", err)
	}
	return nil
}

// SavedAnswer returns the answer to a question of ssh that the user has saved for the server.
func (ss *SSH) SavedAnswer(ctx context.Context, server pane.SSHServer, question string) (string, bool) {
	_, answer, err := ss.Logins.Open(ctx, server.Origin(), question)
	return answer, err == nil
}

// DestroySession ends a pane's session on its server and closes the pane.
func (ss *SSH) DestroySession(ctx context.Context, id string) error {
	link, ok := ss.Client.Connection(id)
	if !ok {
		return NotFoundError(id)
	}
	bounded, cancel := context.WithTimeout(ctx, sideCommandTimeout)
	defer cancel()
	if err := link.Destroy(bounded); err != nil {
		problem := *api.ToProblem(unreachableError(err))
		problem.Message = "the session cannot be ended, so its pane stays open: " + problem.Message
		return &problem
	}
	return ss.panes.CloseTerminal(ctx, id)
}

// reconnectPane connects a pane again: at once if ssh waits before its next attempt, otherwise only if ssh has ended.
func (ss *SSH) reconnectPane(ctx context.Context, link *ssh.Connection, s *terminal.Session) error {
	if link.RetryNow() {
		return nil
	}
	if _, ended := s.Exit(); !ended {
		return fault.New(fault.Conflict, "this terminal is connected", "close it, or end the program that runs in it")
	}
	s.SetMeta(func(n *terminal.PaneMeta) { n.Problem = "" })
	if err := s.Restart(ctx); err != nil {
		return fmt.Errorf("connect again: %w", err)
	}
	ss.superviseLink(link, s)
	return nil
}
