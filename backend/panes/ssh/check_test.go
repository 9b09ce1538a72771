package ssh

import (
	"errors"
	"os"
	"strconv"
	"testing"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
)

func TestTest_EachFailure_NamesItsPart(t *testing.T) {
	m := newMachine(t)
	d := newClient(m)
	m.key("other", "")
	m.key("plain", "")
	open := func(name string) {
		t.Helper()
		public, err := os.ReadFile(m.path(name + ".pub"))
		m.must(err)
		m.write("authorized_keys", string(public))
	}
	expect := func(name, field string, change func(*pane.SSHServer)) {
		t.Helper()
		s := pane.SSHServer{Host: "127.0.0.1", Port: m.port, KeyPath: m.path("plain")}
		change(&s)
		err := d.client.Test(t.Context(), s)
		var problem *fault.Error
		if field == "" && err == nil {
			return
		}
		if !errors.As(err, &problem) || problem.Field != field || problem.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	none := func(*pane.SSHServer) {}
	open("plain")
	expect("an unknown host key", "host", none)
	if _, err := os.Stat(m.path("known")); err == nil {
		t.Error("the host key was accepted")
	}
	host, err := os.ReadFile(m.path("host.pub"))
	m.must(err)
	known := func(key []byte) { m.write("known", "[127.0.0.1]:"+strconv.Itoa(m.port)+" "+string(key)) }
	known(host)
	expect("all is right", "", none)
	expect("another port", "port", func(s *pane.SSHServer) { s.Port = 1 })
	expect("no such key", "key_path", func(s *pane.SSHServer) { s.KeyPath = m.path("gone") })
	m.must(os.Chmod(m.path("plain"), 0o644)) //nolint:gosec // what ssh refuses
	expect("a key that others may read", "key_path", none)
	m.must(os.Chmod(m.path("plain"), 0o600))
	open("other")
	expect("a key that is not allowed", "user", none)
	changed, err := os.ReadFile(m.path("other.pub"))
	m.must(err)
	known(changed)
	expect("another host key", "host", none)
}

func TestTestError_UnknownMessage_IsOneCleanLine(t *testing.T) {
	err := testError(pane.SSHServer{Host: "box"}, "ssh: Could not resolve hostname box: Name or service not known\r\n")
	var problem *fault.Error
	if !errors.As(err, &problem) || problem.Field != "host" {
		t.Errorf("a name without an address: %v", err)
	}
	err = testError(pane.SSHServer{Host: "box"}, "kex_exchange_identification: \x1b[31mread\r\nmore\r\n")
	want := "box: kex_exchange_identification: [31mread"
	if !errors.As(err, &problem) || problem.Field != "" || problem.Message != want {
		t.Errorf("an unknown failure: %v", err)
	}
}
