package mcp

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// Server is one server that the user configured: a program (Command) or an address (URL).
type Server struct {
	Name    string            `json:"name"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"` // streamable HTTP
	Headers map[string]string `json:"headers,omitempty"`
	// Risk is the risk level of all tools of the server as set by the user; "" uses their annotations.
	Risk policy.Risk `json:"risk,omitempty"`
	// Timeout limits one call; 0 means two minutes.
	Timeout time.Duration `json:"timeout,omitempty"`
	// StartTimeout limits a start with the list of tools; 0 means half a minute.
	StartTimeout time.Duration `json:"start_timeout,omitempty"`
}

const (
	startTime   = 30 * time.Second
	callTime    = 2 * time.Minute
	maxCallTime = 30 * time.Minute // of a start, too
)

var namePattern = text.NewPattern(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// Validate returns an error with a hint for a server that could not be started.
func (s Server) Validate() error {
	switch {
	case !namePattern.MatchString(s.Name):
		return fault.Invalid("name", fmt.Sprintf("%q is not a valid server name", s.Name),
			"use up to 32 lower-case letters, digits and dashes")
	case (s.Command == "") == (s.URL == ""):
		return fault.Invalid("command", "a server is either a program or an address", "give a command or a URL")
	case s.Risk != "" && !s.Risk.IsValid():
		return fault.Invalid("risk", fmt.Sprintf("unknown risk %q", s.Risk),
			"use one of "+policy.RiskNames()+", or leave it out")
	case s.Timeout < 0 || s.Timeout > maxCallTime:
		return fault.Invalid("timeout", fmt.Sprintf("the time limit of a call cannot be %s", s.Timeout),
			fmt.Sprintf("use up to %s", maxCallTime))
	case s.StartTimeout < 0 || s.StartTimeout > maxCallTime:
		return fault.Invalid("start_seconds", fmt.Sprintf("the time limit of a start cannot be %s", s.StartTimeout),
			fmt.Sprintf("use up to %s", maxCallTime))
	}
	for k := range s.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") {
			return fault.Invalid("env", fmt.Sprintf("%q is not the name of an environment variable", k),
				"use only letters, digits and _")
		}
	}
	if s.URL == "" {
		return nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Hostname() == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return fault.Invalid("url", fmt.Sprintf("%q is not a valid server address", s.URL),
			"use one like https://example.org/mcp; put a key into a header")
	}
	if u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return fault.Invalid("url", "the connection to "+u.Hostname()+" would not be encrypted",
			"use https; http is only possible on this machine")
	}
	return nil
}

// Location returns the server's command line or address, for users.
func (s Server) Location() string {
	if s.URL != "" {
		return s.URL
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// Host returns the host and port of a server with an address; both are "" for a program.
func (s Server) Host() (host, port string) {
	u, err := url.Parse(s.URL)
	if s.URL == "" || err != nil {
		return "", ""
	}
	if port = u.Port(); port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Hostname()), port
}

// Address returns host:port, "" for a program.
func (s Server) Address() string {
	host, port := s.Host()
	if host == "" {
		return ""
	}
	return net.JoinHostPort(host, port)
}

// IsLocal reports whether the server is reached without leaving this machine.
func (s Server) IsLocal() bool {
	host, _ := s.Host()
	return host == "" || isLoopback(host)
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

func (s Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return callTime
}

func (s Server) startTimeout() time.Duration {
	if s.StartTimeout > 0 {
		return s.StartTimeout
	}
	return startTime
}
