package egress

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// passUsername is the user name in a pass's proxy credentials.
const passUsername = "check"

// AddPass returns proxy credentials that allow hosts in addition to the goal's own, until end is called. A check uses
// them for the hosts that the user named in it. A denied host stays denied.
func (p *Proxy) AddPass(hosts []string) (pass string, end func()) {
	word := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.passes == nil {
		p.passes = map[string][]string{}
	}
	p.passes[word] = hosts
	return passUsername + ":" + word, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.passes, word)
	}
}

// Dial connects this process to an outside host, under the rules for a program of the goal that has a pass for these
// hosts.
func (p *Proxy) Dial(ctx context.Context, address string, hosts []string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dialing: %w", err)
	}
	q := Request{
		From:   SourceProgram,
		Method: http.MethodConnect,
		Host:   strings.TrimSuffix(strings.ToLower(host), "."),
		Port:   port,
	}
	e := Entry{At: time.Now(), From: q.From, Method: q.Method, Host: q.Host, Port: q.Port, Allowed: true}
	if reason, ok := p.Rules().withHosts(hosts).Decide(q); !ok {
		e.Allowed, e.Reason = false, reason
		p.log.add(e)
		return nil, errors.New("the goal's proxy refused " + e.String())
	}
	conn, err := p.dialHost(ctx, net.JoinHostPort(q.Host, q.Port))
	if err != nil {
		p.logFailure(e, err)
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	p.log.add(e)
	return conn, nil
}

// passHosts returns the hosts that the request's pass allows.
func (p *Proxy) passHosts(r *http.Request) []string {
	credentials, ok := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	word := ""
	if b, err := base64.StdEncoding.DecodeString(credentials); ok && err == nil {
		word, _ = strings.CutPrefix(string(b), passUsername+":")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passes[word]
}

// withHosts returns the rules with additional allowed hosts.
func (r Rules) withHosts(hosts []string) Rules {
	r.Granted = slices.Concat(r.Granted, hosts)
	return r
}
