package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// maxLogin limits the file of a sign-in, in bytes.
const maxLogin = 1 << 20

// Login describes the sign-in that an agent keeps in a file of the user's home.
type Login struct {
	File string // relative to the user's home folder, and to that of the agent's sandbox
	// Variable of the user's environment names the folder of File instead, if it is set.
	Variable string
	Command  string // signs in; a command line for the user's terminal
	Then     string // what the user does in that program, "" for nothing
	Hosts    []string
	// Parse reads the user's file. Its error says what is missing.
	Parse func(file []byte) (Credentials, error)
}

// Credentials are what an agent gets of the user's sign-in. If its provider replaces a refresh token with each use, it
// is left out: the agent cannot store the new one, and the user's own sign-in would end.
type Credentials struct {
	File    []byte   // the content of Login.File in the sandbox
	Secrets []string // in File
	Hosts   []string // that the agent needs
	// Providers are those of File, if the agent has a choice.
	Providers []string
	Expires   time.Time // zero if the agent renews it, or if it does not end
}

// ErrNoLogin means that an agent has no usable sign-in on this computer.
var ErrNoLogin = errors.New("it has no sign-in on this computer")

// Advice returns what the user has to do to sign in.
func (l Login) Advice() string {
	text := fmt.Sprintf("run `%s` in a terminal", l.Command)
	if l.Then != "" {
		text += " and " + l.Then
	}
	return text
}

// Read reads the user's sign-in. getenv looks up a variable of the user's environment.
func (l Login) Read(home string, getenv func(string) string, now time.Time) (c Credentials, err error) {
	path := filepath.Join(home, l.File)
	if l.Variable != "" {
		if dir := getenv(l.Variable); filepath.IsAbs(dir) {
			path = filepath.Join(dir, filepath.Base(l.File))
		}
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, ErrNoLogin
	}
	if err != nil {
		return c, fmt.Errorf("its sign-in cannot be read: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxLogin {
		return c, fmt.Errorf("its sign-in cannot be read: %s is not a file of at most %d bytes", path, maxLogin)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("its sign-in cannot be read: %w", err)
	}
	if c, err = l.Parse(b); err != nil {
		return Credentials{}, err
	}
	if !c.Expires.IsZero() && !c.Expires.After(now) {
		return Credentials{}, fmt.Errorf("its sign-in ended at %s, and only the agent itself can renew it",
			c.Expires.Local().Format("2006-01-02 15:04"))
	}
	c.Hosts = slices.Concat(l.Hosts, c.Hosts)
	return c, nil
}

// object is a JSON object of a sign-in, with fields that Goalpost does not know.
type object map[string]any

// parseObject reads the file of a sign-in. An error of the decoder could quote a token.
func parseObject(file []byte) (o object, err error) {
	if json.Unmarshal(file, &o) != nil || o == nil {
		return nil, errors.New("the file of its sign-in has a form that Goalpost does not know")
	}
	return o, nil
}

// text returns a text of the object, "" if there is none.
func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

// object returns an object in the object, nil if there is none.
func (o object) object(name string) object {
	inner, _ := o[name].(map[string]any)
	return inner
}

// texts returns those of the named texts that are there.
func (o object) texts(names ...string) (found []string) {
	for _, name := range names {
		if text := o.text(name); text != "" {
			found = append(found, text)
		}
	}
	return found
}

// milliseconds returns a time in milliseconds since 1970; the zero time if there is none.
func (o object) milliseconds(name string) time.Time {
	n, _ := o[name].(float64)
	if n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n))
}
