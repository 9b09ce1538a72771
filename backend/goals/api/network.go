package api

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"goalpost/backend/domain/event"
)

// NetworkView sums up the requests of a goal's programs and pages by host.
type NetworkView struct {
	Hosts   []NetworkHost `json:"hosts"` // refused ones first, then by requests
	Refused int           `json:"refused"`
	Total   int           `json:"total"`
}

// NetworkHost sums up the requests to one host and port with one outcome.
type NetworkHost struct {
	// with the port if it is not a default; * stands for several hosts with requests too fast to be recorded one by one
	Host    string   `json:"host"`
	Own     bool     `json:"own"` // the goal's own loopback
	Allowed bool     `json:"allowed"`
	Methods []string `json:"methods"` // CONNECT is a tunnel
	From    []string `json:"from"`    // program, pane
	Count   int      `json:"count"`
	In      int64    `json:"in"` // bytes of unencrypted answers and of tunnels, including those still open
	Out     int64    `json:"out"`
	Reason  string   `json:"reason"` // of the newest refusal
	LastAt  string   `json:"last_at"`
}

// NetworkSummary sums up requests.
type NetworkSummary struct {
	view NetworkView
	at   map[string]int
}

// NewNetworkSummary makes an empty summary.
func NewNetworkSummary() *NetworkSummary {
	return &NetworkSummary{view: NetworkView{Hosts: []NetworkHost{}}, at: map[string]int{}}
}

// Read adds the requests of a log with one event a line. It skips a truncated line.
func (ns *NetworkSummary) Read(r io.Reader) error {
	const maxLine = 1 << 20
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var e struct {
			At string `json:"at"`
			event.Egress
		}
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Method != "" {
			ns.Add(e.At, e.Egress)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading the network log: %w", err)
	}
	return nil
}

// Add adds one request, or several that were reported together.
func (ns *NetworkSummary) Add(at string, e event.Egress) {
	host := e.Host
	if e.Port != "" && e.Port != "443" && e.Port != "80" {
		host = net.JoinHostPort(e.Host, e.Port)
	}
	n := max(1, e.Times)
	if e.More {
		n = 0
	}
	ns.view.Total += n
	if !e.Allowed {
		ns.view.Refused += n
	}
	key := fmt.Sprint(host, e.Allowed)
	i, found := ns.at[key]
	if !found {
		i = len(ns.view.Hosts)
		ns.at[key] = i
		ns.view.Hosts = append(ns.view.Hosts, NetworkHost{
			Host:    host,
			Own:     e.Own,
			Allowed: e.Allowed,
			Methods: []string{},
			From:    []string{},
		})
	}
	h := &ns.view.Hosts[i]
	h.Count, h.In, h.Out, h.LastAt = h.Count+n, h.In+e.In, h.Out+e.Out, at
	if !slices.Contains(h.Methods, e.Method) {
		h.Methods = append(h.Methods, e.Method)
	}
	if !slices.Contains(h.From, e.From) {
		h.From = append(h.From, e.From)
	}
	if !e.Allowed {
		h.Reason = e.Reason
	}
}

// View returns the summary with at most 200 hosts.
func (ns *NetworkSummary) View() NetworkView {
	const maxHosts = 200
	out := ns.view
	out.Hosts = slices.Clone(out.Hosts)
	slices.SortStableFunc(out.Hosts, func(a, b NetworkHost) int {
		if a.Allowed != b.Allowed {
			return map[bool]int{false: -1, true: 1}[a.Allowed]
		}
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Host, b.Host))
	})
	out.Hosts = out.Hosts[:min(maxHosts, len(out.Hosts))]
	return out
}
