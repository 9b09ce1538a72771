package ssh

import (
	"context"
	"os"
	"strings"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// Test connects to a server once, without a terminal and without asking the user. It returns nil if the login works,
// otherwise an error whose field is the part that fails. It changes nothing, and accepts no host key.
func (c *Client) Test(ctx context.Context, s pane.SSHServer) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if s.KeyPath != "" && !strings.HasPrefix(s.KeyPath, "~") {
		if info, err := os.Stat(s.KeyPath); err != nil || !info.Mode().IsRegular() {
			return fault.Invalid("key_path", "the private key "+s.KeyPath+" is not a file on this computer",
				"choose the file without .pub, or leave it empty for the keys of your configuration")
		}
	}
	out, err := c.sideCommand(ctx, s, "exit 0")
	switch {
	case ctx.Err() != nil:
		return fault.Invalid("host", s.Host+" did not answer in time", "check the address, the port and your network")
	case err != nil:
		return err
	case out.Status.Code == failed:
		return testError(s, string(out.Stderr))
	}
	return nil
}

// testFailures are what ssh writes, and which part of a server's entry that is about.
var testFailures = []struct{ sign, field, message, hint string }{
	{
		"IDENTIFICATION HAS CHANGED", "host", "the host key is not the known one: another machine may answer",
		"ask who runs the server; if the change is right, remove the old key with ssh-keygen -R",
	},
	{
		"Host key verification failed", "host", "the server answers, and its host key is unknown",
		"connect, compare the fingerprint that is shown with that of the server, and accept it",
	},
	{"Could not resolve hostname", "host", "this name has no address", "check its spelling, and your network"},
	{"Connection refused", "port", "nothing listens at this port", "check the port, and that sshd runs there"},
	{"Connection timed out", "host", "the server did not answer", "check the address, and firewalls on the way"},
	{"No route to host", "host", "no network leads to this address", "check the address, and your network or VPN"},
	{
		"UNPROTECTED PRIVATE KEY", "key_path", "others may read the private key, so ssh refuses it",
		"take their permission away with chmod 600",
	},
	{
		"Permission denied", "user", "the server answers, and accepts none of your keys without a question",
		"connect: the terminal asks for a password or passphrase; else check the user and the key",
	},
	{
		"Too many authentication failures", "key_path", "the server refused after too many keys of your agent",
		"name the private key",
	},
}

func testError(s pane.SSHServer, stderr string) error {
	for _, f := range testFailures {
		if strings.Contains(stderr, f.sign) {
			return fault.Invalid(f.field, f.message, f.hint)
		}
	}
	return fault.New(fault.Unavailable, s.DisplayName()+": "+text.SanitizeLine(text.FirstLine(stderr), maxMessage),
		"run ssh in a terminal with -v to see more")
}
