package cli

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"goalpost/backend/entry/serve"
	"goalpost/backend/lib/fault"
)

// The values of --tls besides a file.
const (
	ownCertificate = "own"
	noTLS          = "off"
)

// transport says how the connections to a server are encrypted.
type transport struct {
	certificate string // ownCertificate, noTLS, a file, or "" for what fits the address
	key         string // a file, "" if the key is in the file of the certificate
}

// secure sets what the server needs for TLS. It returns the authority that signs an own certificate, nil for another
// one.
func (t transport) secure(o *serve.Options, state string) (*serve.Authority, error) {
	if t.certificate == "" {
		t.certificate = noTLS
		if !serve.IsLoopback(o.Listen) {
			t.certificate = ownCertificate
		}
	}
	switch t.certificate {
	case noTLS:
		return nil, nil //nolint:nilnil // without TLS there is none
	case ownCertificate:
		o.Hosts = append(o.Hosts, machineNames()...)
		authority, err := serve.OpenAuthority(filepath.Join(state, "serve"), o.Hosts, time.Now)
		if err == nil {
			o.TLS, o.Authority = authority.TLS(), authority.PEM()
		}
		return authority, err
	}
	pair, err := tls.LoadX509KeyPair(t.certificate, cmp.Or(t.key, t.certificate))
	if err != nil {
		return nil, fault.Invalid("tls", "the certificate cannot be used: "+err.Error(),
			"name a PEM file with the certificate and the ones that signed it, and its key with --tls-key")
	}
	o.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	for _, name := range pair.Leaf.DNSNames {
		if !strings.HasPrefix(name, "*") { // of a wildcard the user names the host
			o.Hosts = append(o.Hosts, name)
		}
	}
	return nil, nil //nolint:nilnil // the user's certificate needs none
}

// machineNames are the names under which other devices of a local network find this machine.
func machineNames() []string {
	host, err := os.Hostname()
	if err != nil || host == "" || strings.Contains(host, ".") {
		return nil
	}
	host = strings.ToLower(host)
	return []string{host, host + ".local"}
}

// announce prints where a server is and how to log in.
func (sc serveCommands) announce(s *serve.Server, o serve.Options, a *serve.Authority, asJSON bool) error {
	if o.AllowRemote {
		if err := o.Devices.SetAddress(addressForDevices(s, o, a)); err != nil {
			return err
		}
	}
	if asJSON {
		line, err := json.Marshal(map[string]string{"url": s.LoginURL()})
		if err != nil {
			return fmt.Errorf("ready: %w", err)
		}
		return sc.program.printf("%s\n", line)
	}
	err := sc.program.printf("Goalpost is at\n  %s\nCtrl+C ends this server; goals, terminals and pages keep running "+
		"(%s host stop ends them).\n", s.LoginURL(), sc.program.Name)
	if err != nil || !o.AllowRemote {
		return err
	}
	return sc.inviteDevices(s, o, a)
}

// inviteDevices prints how other devices log in to a server.
func (sc serveCommands) inviteDevices(s *serve.Server, o serve.Options, a *serve.Authority) error {
	link, err := o.Devices.NewLink()
	if err != nil {
		return err
	}
	if err := sc.program.printf("\n"); err != nil {
		return err
	}
	if err := sc.program.printLink(link); err != nil {
		return err
	}
	if err := sc.program.printf("%[1]s device link makes another one, %[1]s device list shows who is logged in.\n",
		sc.program.Name); err != nil {
		return err
	}
	switch {
	case o.TLS == nil:
		return sc.program.printf("These connections are not encrypted: a proxy in front must do it. " +
			"Without one, use --tls own.\n")
	case a != nil:
		return sc.program.printf("Browsers warn about Goalpost's own certificate until a device has installed\n  %s\n"+
			"SHA-256 of that certificate: %s\n", s.AuthorityURL(), a.Fingerprint())
	}
	return nil
}

// addressForDevices is the address of a server in links: a name, if the user gave one or the user's certificate has
// one, and else an address.
func addressForDevices(s *serve.Server, o serve.Options, a *serve.Authority) string {
	if a != nil || len(o.Hosts) == 0 {
		return s.RemoteURL()
	}
	name := o.Hosts[0]
	if o.TLS != nil && !strings.Contains(name, ":") {
		name += ":" + s.Port()
	}
	return "https://" + name + "/"
}
