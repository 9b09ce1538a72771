package ssh

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
)

// TestSession_ConnectionLost_Reconnects: an sshd is killed in the middle of a session. The pane shows it, ssh
// reconnects automatically, without asking again, to the same session, and earlier input is still there.
func TestSession_ConnectionLost_Reconnects(t *testing.T) {
	d := newClient(newMachine(t), 50*time.Millisecond)
	l, s := d.open("goalpost-one", false)
	d.login(l)
	d.types(s, "echo in $((40+2)); x=kept")
	d.shows(s, "in 42")
	d.types(s, "printf 'half %s\\n' typed; cat")
	d.shows(s, "half typed")
	_, err := s.Write([]byte("taken by ssh"))
	d.must(err)
	d.shows(s, "taken by ssh")

	d.kill()
	d.state("the connection was lost", func(s State) bool { return strings.Contains(s.Problem, "lost") })
	d.state("a second try", func(s State) bool { return strings.Contains(s.Problem, "Connecting") })
	d.state("a third one", func(s State) bool { return strings.Contains(s.Problem, "Trying again") })
	d.start()
	back := d.state("back, or a question", func(s State) bool { return s.Problem == "" || s.Ask != "" })
	if back.Ask != "" {
		t.Fatalf("it asks again: %q", back.Ask)
	}
	d.shows(s, "taken by ssh")
	_, err = s.Write([]byte("\r\x04"))
	d.must(err)
	d.types(s, "echo still $x")
	d.shows(s, "still kept")
	if l.Session() != "goalpost-one" {
		t.Error(l.Session())
	}
}

func TestSessions_ListAndDestroy_UseThePanesConnection(t *testing.T) {
	d := newClient(newMachine(t))
	if list, err := d.client.Sessions(d.within(), d.server); !errors.Is(err, ErrLogin) {
		t.Errorf("without a pane that can ask: %v %v", list, err)
	}
	if out, err := d.client.Run(d.within(), d.server, []string{"true"}); !errors.Is(err, ErrLogin) {
		t.Errorf("without a pane that can ask: %v %v", out.Status, err)
	}
	l, s := d.open("goalpost-one", false)
	d.login(l)
	d.types(s, "tmux new-session -d -s 'free one'; echo made $((1+1))")
	d.shows(s, "made 2")
	// The last line of the screen belongs to the session: tmux shows no status line.
	lines, _, _, _ := s.Screen()
	if last := lines[len(lines)-1]; strings.Contains(last, "goalpost-one") {
		t.Errorf("tmux draws %q", last)
	}
	list, err := d.client.Sessions(d.within(), d.server) // over the pane's connection
	d.must(err)
	if len(list) != 2 || list[0].Name != "free one" || list[0].Attached != 0 || list[1].Name != "goalpost-one" ||
		list[1].Attached != 1 {
		t.Errorf("%+v", list)
	}
	out, err := d.client.Run(d.within(), d.server, []string{"/bin/sh", "-c", `echo "it's $1"; exit 3`, "sh", "a b"})
	if d.must(err); out.Status.Code != 3 || string(out.Stdout) != "it's a b\n" {
		t.Errorf("%v %q %q", out.Status, out.Stdout, out.Stderr)
	}
	d.must(l.Destroy(d.within()))
	status, ok := s.Ended(d.within())
	if !ok || status.Code != 0 {
		t.Errorf("%v %v", status, ok)
	}
	<-d.attended // an end of the session is not a lost connection
	d.must(s.Restart(d.within()))
	d.attend(l, s)
	d.types(s, "tmux list-sessions -F '[#S]'; echo x=$x.")
	d.shows(s, "x=.")
}

func TestLogin_Questions_ReachTheUser(t *testing.T) {
	d := newClient(newMachine(t))
	l, s := d.open("goalpost-one", false)
	q := d.asks("authenticity of host")
	if !strings.Contains(q.Ask, "SHA256:") || l.Answer("another question", "yes", true) {
		t.Errorf("%+v", q)
	}
	l.Answer(q.Ask, "yes", true)
	q = d.asks("passphrase")
	l.Answer(q.Ask, "wrong", true)
	again := d.state("asks again", func(s State) bool { return s.Ask != "" })
	if !again.Secret {
		t.Errorf("%+v", again)
	}
	l.Answer(again.Ask, "", false)
	status, ok := s.Ended(d.within())
	if !ok || status.Code != failed {
		t.Errorf("%v %v", status, ok)
	}
	<-d.attended // a user who refuses to answer is not asked again
	if known, err := os.ReadFile(d.path("known")); err != nil || len(known) == 0 {
		t.Errorf("the accepted key is not known: %v", err)
	}
}

func TestHostKey_Changed_IsRefused(t *testing.T) {
	d := newClient(newMachine(t), time.Millisecond)
	l, s := d.open("goalpost-one", false)
	d.login(l)
	d.types(s, "echo in $((40+2))")
	d.shows(s, "in 42")
	d.must(d.manager.Close(d.within(), "t1"))
	l.Close()
	<-d.attended
	d.kill()
	d.key("host", "")
	d.start()
	_, s = d.open("goalpost-one", false)
	if status, ok := s.Ended(d.within()); !ok || status.Code != failed {
		t.Errorf("%v %v", status, ok)
	}
	<-d.attended
	if page := s.Text(0, 1<<20); !strings.Contains(page.Text, "IDENTIFICATION HAS CHANGED") {
		t.Errorf("%s", page.Text)
	}
}

// TestHostKey_WeakConfiguration_StillAsks: Goalpost asks even if the user's configuration accepts every host key.
func TestHostKey_WeakConfiguration_StillAsks(t *testing.T) {
	for _, weak := range []string{"no", "accept-new"} {
		d := newClient(newMachine(t))
		config, err := os.ReadFile(d.path("ssh_config"))
		d.must(err)
		d.write("ssh_config", string(config)+"StrictHostKeyChecking "+weak+"\n")
		l, s := d.open("goalpost-one", false)
		q := d.asks("authenticity of host")
		l.Answer(q.Ask, "no", true)
		if status, ok := s.Ended(d.within()); !ok || status.Code != failed {
			t.Errorf("%v %v", status, ok)
		}
	}
}

func TestSession_WithoutTmux_StartsAShell(t *testing.T) {
	d := newClient(newMachine(t))
	d.must(os.Mkdir(d.path("it's a folder"), 0o700))
	d.server.Tmux, d.server.Folder = false, "~/it's a folder"
	l, s := d.open("", false)
	d.login(l)
	d.types(s, "basename \"$PWD\"; exit 3")
	d.shows(s, "it's a folder")
	if status, ok := s.Ended(d.within()); !ok || status.Code != 3 {
		t.Errorf("%v %v", status, ok)
	}
	if l.Session() != "" {
		t.Error(l.Session())
	}
}

// TestConnectError_HostileServer_IsOneCleanLine: an error is shown in the window and printed in terminals.
func TestConnectError_HostileServer_IsOneCleanLine(t *testing.T) {
	err := connectError(pane.SSHServer{Host: "example.org"}, []byte("\x1b]0;title\x07no \x1b[31mroute\u202e\nmore"))
	if err == nil || err.Error() != "example.org: ]0;titleno [31mroute" {
		t.Errorf("%q", err)
	}
}

// TestSession_PastedTilde_ReachesTheShell: in plain ssh, "~." at the beginning of a line would end the session.
func TestSession_PastedTilde_ReachesTheShell(t *testing.T) {
	d := newClient(newMachine(t))
	d.server.Tmux = false
	l, s := d.open("", false)
	d.login(l)
	d.types(s, ": first")
	d.types(s, "~.")
	d.types(s, "echo still $((40+2))")
	d.shows(s, "still 42")
	d.types(s, "exit 3")
	if status, ok := s.Ended(d.within()); !ok || status.Code != 3 {
		t.Errorf("%v %v", status, ok)
	}
}

// TestAskpass_UnknownCaller_IsRefused: a caller without the connection's key gets no answer.
func TestAskpass_UnknownCaller_IsRefused(t *testing.T) {
	d := newClient(newMachine(t))
	l, _ := d.open("goalpost-one", false)
	d.asks("authenticity of host")
	env := l.Env()
	for i := range env {
		if strings.HasPrefix(env[i], "GOALPOST_ASK_KEY=") {
			env[i] = "GOALPOST_ASK_KEY=" + strings.Repeat("0", 32)
		}
	}
	forged := &Client{launcher: d.set, env: env}
	out, err := forged.capture(d.within(), []string{d.client.helper, "Password:"})
	d.must(err)
	if out.Status.Code != 1 || len(out.Stdout) > 0 {
		t.Errorf("%+v", out)
	}
	if got := l.State(); !strings.Contains(got.Ask, "authenticity") {
		t.Errorf("the pane asks %q", got.Ask)
	}
}

func TestServer_InvalidField_IsRefused(t *testing.T) {
	good := pane.SSHServer{
		Host:    "box.example",
		Port:    22,
		User:    "ada",
		Jump:    "a@b:22,c",
		Folder:  "~/x",
		KeyPath: "~/.ssh/id",
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for field, s := range map[string]pane.SSHServer{
		"host":     {Host: "-oProxyCommand=touch"},
		"user":     {Host: "h", User: "-x"},
		"jump":     {Host: "h", Jump: "-oX a"},
		"port":     {Host: "h", Port: 70000},
		"key_path": {Host: "h", KeyPath: "-x"},
		"folder":   {Host: "h", Folder: "relative"},
		"name":     {Host: "h", Name: "a\nb"},
	} {
		var wrong *fault.Error
		if err := s.Validate(); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestLogin_SavedAnswer_IsSentOnce: the answer that the user has saved is sent without a question. If ssh refuses it,
// the user is asked, and it is not sent again.
func TestLogin_SavedAnswer_IsSentOnce(t *testing.T) {
	d := newClient(newMachine(t), time.Millisecond)
	saved, asked := passphrase, make(chan string, 10)
	d.client.saved = func(_ context.Context, server pane.SSHServer, question string) (string, bool) {
		asked <- server.Origin() + " " + question
		return saved, true
	}
	l, s := d.open("goalpost-one", false)
	l.Answer(d.asks("authenticity of host").Ask, "yes", true)
	d.types(s, "echo in $((40+2))")
	d.shows(s, "in 42")
	want := fmt.Sprintf("ssh://127.0.0.1:%d Enter passphrase for key '%s':", d.port, d.path("id"))
	if got := <-asked; got != want || len(asked) != 0 {
		t.Errorf("looked for %q, want %q once", got, want)
	}
	d.must(d.manager.Close(d.within(), "t1"))
	l.Close()
	<-d.attended

	saved = "wrong"
	l, s = d.open("goalpost-two", false)
	again := d.state("a question", func(s State) bool { return s.Ask != "" })
	if !again.AskAgain || !again.Secret {
		t.Errorf("%+v", again)
	}
	l.Answer(again.Ask, passphrase, true)
	d.types(s, "echo in $((40+3))")
	d.shows(s, "in 43")
	if len(asked) != 1 {
		t.Errorf("looked for the answer %d times", len(asked))
	}
}
