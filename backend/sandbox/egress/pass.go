package egress

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"
)

// passUser is the name under which a pass is shown to the proxy.
const passUser = "check"

// Pass opens hosts to who shows it, besides what the goal may reach, until end:
// those that the person named in a check are open to that check's run only. A
// denied host stays denied. The pass is a user and a password, as in an address.
func (p *Proxy) Pass(hosts []string) (pass string, end func()) {
	word := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.passes == nil {
		p.passes = map[string][]string{}
	}
	p.passes[word] = hosts
	return passUser + ":" + word, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.passes, word)
	}
}

// rulesFor are the rules, and what the request's pass opens.
func (p *Proxy) rulesFor(r *http.Request) Rules {
	shown, ok := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	word := ""
	if b, err := base64.StdEncoding.DecodeString(shown); ok && err == nil {
		word, _ = strings.CutPrefix(string(b), passUser+":")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	rules := p.rules
	if hosts := p.passes[word]; word != "" && len(hosts) > 0 {
		rules.Granted = append(append([]string{}, rules.Granted...), hosts...)
	}
	return rules
}
