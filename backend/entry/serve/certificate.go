package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
)

const (
	authorityPath = "/authority.crt"
	authorityLife = 10 * 365 * 24 * time.Hour
	// Browsers accept no certificate of a server that is valid for longer than 398 days.
	certificateLife = 90 * 24 * time.Hour
)

// Authority signs the certificates of this user's servers. Devices that install its own certificate trust them, and
// nothing else that it could sign: it is limited to private addresses and to names within the local network.
type Authority struct {
	path        string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	now         func() time.Time
	hosts       []string // names that servers have, besides the address that a device connects to

	mu     sync.Mutex
	leaves map[string]*tls.Certificate // by the address of the connection
}

// OpenAuthority reads the authority in a private folder, and makes it when there is none.
func OpenAuthority(folder string, hosts []string, now func() time.Time) (*Authority, error) {
	a := &Authority{
		path: filepath.Join(folder, "authority.pem"), hosts: hosts, now: now, leaves: map[string]*tls.Certificate{},
	}
	err := a.read()
	if errors.Is(err, fs.ErrNotExist) || (err == nil && now().After(a.certificate.NotAfter.Add(-certificateLife))) {
		err = a.create()
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, "the certificate authority: "+err.Error(),
			"remove "+a.path+" and install the new one on your devices")
	}
	for _, host := range hosts {
		if net.ParseIP(host) == nil && !isLocalName(host) {
			return nil, fault.Invalid("host", fmt.Sprintf("Goalpost's own certificate cannot be for %q", host),
				"it is limited to names of the local network, such as NAME.local; pass a certificate for this name with --tls")
		}
	}
	return a, nil
}

// Path is the file with the authority's certificate and its key.
func (a *Authority) Path() string { return a.path }

// PEM is the authority's certificate, which devices install.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// Fingerprint is the SHA-256 of the authority's certificate, as browsers show it.
func (a *Authority) Fingerprint() string {
	sum := sha256.Sum256(a.certificate.Raw)
	return strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
}

// TLS returns what a server needs: a certificate for the address that each device connects to.
func (a *Authority) TLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: a.forConnection}
}

func (a *Authority) forConnection(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	host, _, err := net.SplitHostPort(hello.Conn.LocalAddr().String())
	if err != nil {
		return nil, fmt.Errorf("the address of a connection: %w", err)
	}
	host, _, _ = strings.Cut(host, "%") // the zone of IPv6
	a.mu.Lock()
	defer a.mu.Unlock()
	if leaf := a.leaves[host]; leaf != nil && a.now().Before(leaf.Leaf.NotAfter.Add(-certificateLife/2)) {
		return leaf, nil
	}
	leaf, err := a.sign(host)
	if err == nil {
		a.leaves[host] = leaf
	}
	return leaf, err
}

// read reads the file that create wrote.
func (a *Authority) read() error {
	b, err := os.ReadFile(a.path)
	if err != nil {
		return err //nolint:wrapcheck // the caller names the file
	}
	pair, err := tls.X509KeyPair(b, b)
	if err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Base(a.path), err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return fmt.Errorf("%s is not an authority of Goalpost", filepath.Base(a.path))
	}
	a.certificate, a.key = pair.Leaf, key
	return nil
}

// create makes the authority and writes it, with its key, into one private file.
func (a *Authority) create() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("making its key: %w", err)
	}
	name := "Goalpost"
	if host, err := os.Hostname(); err == nil {
		name += " on " + host
	}
	template := &x509.Certificate{
		SerialNumber: serialNumber(),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    a.now().Add(-time.Hour), NotAfter: a.now().Add(authorityLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage:                    x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		ExtKeyUsage:                 []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         localDomains(),
		PermittedIPRanges:           privateRanges(),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return fmt.Errorf("making it: %w", err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("encoding its key: %w", err)
	}
	file := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return err //nolint:wrapcheck // the caller names the file
	}
	if err := fileio.WriteDurably(a.path, file, 0o600); err != nil {
		return err
	}
	return a.read()
}

// sign makes the certificate of a server for the address of a connection and for the names of this machine.
func (a *Authority) sign(address string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serialNumber(),
		Subject:      pkix.Name{CommonName: "Goalpost"},
		NotBefore:    a.now().Add(-time.Hour), NotAfter: a.now().Add(certificateLife),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range append([]string{address, "localhost"}, a.hosts...) {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("making a certificate for %s: %w", address, err)
	}
	leaf, err := x509.ParseCertificate(raw)
	if err != nil {
		return nil, fmt.Errorf("reading a new certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{raw, a.certificate.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

// isLocalName reports whether the authority may sign for a name.
func isLocalName(name string) bool {
	for _, domain := range localDomains() {
		if name == domain || strings.HasSuffix(name, "."+domain) {
			return true
		}
	}
	return false
}

// localDomains are the names that no public server has. The name of this machine is among them.
func localDomains() []string {
	domains := []string{"localhost", "local", "lan", "internal", "home.arpa", "test"}
	if host, err := os.Hostname(); err == nil && host != "" && !strings.Contains(host, ".") {
		domains = append(domains, strings.ToLower(host))
	}
	return domains
}

// privateRanges are the addresses that no public server has: of this machine, of local networks, and of networks
// between a user's own machines (100.64.0.0/10).
func privateRanges() []*net.IPNet {
	var ranges []*net.IPNet
	for _, s := range []string{
		"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10",
		"::1/128", "fc00::/7", "fe80::/10",
	} {
		if _, r, err := net.ParseCIDR(s); err == nil {
			ranges = append(ranges, r)
		}
	}
	return ranges
}

func serialNumber() *big.Int {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return n
}

// authority serves the certificate that a device installs, also before a login.
func (s *Server) authority(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-x509-ca-cert")
	w.Header().Set("Content-Disposition", `attachment; filename="goalpost-authority.crt"`)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(s.o.Authority) // the browser may have disconnected
}
