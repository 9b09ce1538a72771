package pane

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"

	"goalpost/backend/lib/fault"
)

// SSHServer is a machine that terminals are opened on with the system's ssh. Everything but the host may be empty:
// then the configuration of ssh decides.
type SSHServer struct {
	ID      string `json:"id"`
	Name    string `json:"name"` // "" is the host
	Host    string `json:"host"` // or a Host of ~/.ssh/config
	Port    int    `json:"port"` // 0 = the default of ssh
	User    string `json:"user"`
	KeyPath string `json:"key_path"`
	Jump    string `json:"jump"`   // hosts in between, as ssh -J takes them
	Folder  string `json:"folder"` // where new sessions begin: absolute, or ~/…
	Tmux    bool   `json:"tmux"`   // sessions survive the end of the connection
}

// Origin is the server's address, under which the answers to its questions are saved: ssh://ann@example.org:2222.
func (s SSHServer) Origin() string {
	origin := url.URL{Scheme: "ssh", Host: s.Host}
	if strings.Contains(s.Host, ":") { // an address of IPv6
		origin.Host = "[" + s.Host + "]"
	}
	if s.Port != 0 {
		origin.Host += ":" + strconv.Itoa(s.Port)
	}
	if s.User != "" {
		origin.User = url.User(s.User)
	}
	return origin.String()
}

// DisplayName is the name shown to users.
func (s SSHServer) DisplayName() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Host
}

// Validate checks that ssh can be called with the server, and that no field can be read as an option or as several
// words by ssh.
func (s SSHServer) Validate() error {
	const most = 1024
	for field, text := range map[string]string{
		"name": s.Name, "host": s.Host, "user": s.User, "key_path": s.KeyPath, "jump": s.Jump, "folder": s.Folder,
	} {
		if len(text) > most || strings.ContainsFunc(text, unicode.IsControl) {
			return fault.Invalid(field,
				fmt.Sprintf("the %s is too long or contains control characters", strings.ReplaceAll(field, "_", " ")),
				fmt.Sprintf("use at most %d printable characters", most))
		}
	}
	word := func(text string) bool {
		return !strings.HasPrefix(text, "-") && !strings.ContainsFunc(text, unicode.IsSpace)
	}
	switch {
	case s.Host == "":
		return fault.Invalid("host", "the host is missing", "enter a name or an address")
	case !word(s.Host) || strings.ContainsAny(s.Host, "@/"):
		return fault.Invalid("host", fmt.Sprintf("%q is not a host", s.Host),
			"enter a name or an address, and the user in its own field")
	case s.Port < 0 || s.Port > 65535:
		return fault.Invalid("port", fmt.Sprintf("%d is not a port", s.Port), "use 1 to 65535")
	case !word(s.User):
		return fault.Invalid("user", fmt.Sprintf("%q is not a user name", s.User), "use a name without spaces")
	case !word(s.Jump):
		return fault.Invalid("jump", fmt.Sprintf("%q is not a list of hosts", s.Jump),
			"use user@host:port, separated by commas")
	case strings.HasPrefix(s.KeyPath, "-"):
		return fault.Invalid("key_path", fmt.Sprintf("%q is not a path to a key", s.KeyPath), "begin it with / or ~")
	case s.Folder != "" && !path.IsAbs(s.Folder) && s.Folder != "~" && !strings.HasPrefix(s.Folder, "~/"):
		return fault.Invalid("folder", fmt.Sprintf("the start folder %q is not absolute", s.Folder), "begin it with / or ~/")
	}
	return nil
}

// ParseSSHTarget reads what a user types to connect at once: host, user@host, user@host:port, also
// with ssh:// before it, and an IPv6 address in brackets.
func ParseSSHTarget(text string) (SSHServer, error) {
	invalid := &fault.Error{
		Field:   "target",
		Message: fmt.Sprintf("%q is not a server", text),
		Hint:    "write it as user@host, user@host:port, or as a host name of ~/.ssh/config",
	}
	s := SSHServer{Tmux: true}
	rest := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "ssh://"), "/")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		s.User, rest = rest[:at], rest[at+1:]
		if s.User == "" {
			return s, invalid
		}
	}
	s.Host = rest
	port := ""
	if inner, ok := strings.CutPrefix(rest, "["); ok {
		host, after, closed := strings.Cut(inner, "]")
		if s.Host, port = host, strings.TrimPrefix(after, ":"); !closed || after != "" && after[0] != ':' || after == ":" {
			return s, invalid
		}
	} else if host, number, ok := strings.Cut(rest, ":"); ok && !strings.Contains(number, ":") {
		if s.Host, port = host, number; port == "" {
			return s, invalid
		}
	}
	if port != "" {
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 {
			return s, invalid
		}
		s.Port = n
	}
	if s.Host == "" || s.Validate() != nil {
		return s, invalid
	}
	return s, nil
}
