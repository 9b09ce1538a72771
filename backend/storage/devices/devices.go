// Package devices keeps how browsers log in to a server of this program: the devices that are logged in, a password,
// and links that log in one device. All of it is in one private file of the data folder, with no secret in plain text.
// Servers and commands change the file under a lock, and servers watch it.
package devices

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// FileName is the name of the file with the list, in the data folder.
const FileName = "devices.json"

// Limits of a list.
const (
	Life       = 30 * 24 * time.Hour // after this a device must log in again
	maxDevices = 256                 // the oldest login ends for a new one
	maxName    = 80                  // characters
	seenEvery  = 10 * time.Minute    // how exact Seen is
)

// How a device logged in.
const (
	ByToken    = "token"
	ByLink     = "link"
	ByPassword = "password"
)

// Device is a browser that is logged in.
type Device struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`    // what the browser says that it is
	Address string    `json:"address"` // from where it logged in
	User    string    `json:"user"`    // the user of this machine who logged in, "" if it was another machine
	By      string    `json:"by"`      // ByToken, ByLink or ByPassword
	Since   time.Time `json:"since"`
	Seen    time.Time `json:"seen"` // to ten minutes
}

// file is what is stored. Cookies and links are stored as their SHA-256.
type file struct {
	Password string     `json:"password,omitempty"` // as encodePassword makes it
	Address  string     `json:"address,omitempty"`  // of the newest server that other machines can reach
	Links    []openLink `json:"links,omitempty"`
	Devices  []login    `json:"devices,omitempty"`
}

type login struct {
	Device
	Cookie string `json:"cookie"`
}

// List is the list of devices. All methods may be called concurrently, also by several processes.
type List struct {
	path string
	now  func() time.Time

	passwords sync.Mutex // one check at a time, because each uses 64 MiB

	mu    sync.Mutex
	file  file
	stamp stamp // of the file when it was read
}

// stamp tells whether a file was replaced.
type stamp struct {
	inode uint64
	time  int64
}

// Open opens the list in a file, which need not exist. Without a path the list is kept in memory.
func Open(path string, now func() time.Time) *List { return &List{path: path, now: now} }

// LogIn adds a device, and returns the value of its cookie.
func (l *List) LogIn(d Device) (cookie string, err error) {
	cookie, id := randomHex(32), randomHex(4)
	err = l.change(func(f *file) error {
		now := l.now()
		f.Devices = slices.DeleteFunc(f.Devices, func(o login) bool { return now.Sub(o.Since) >= Life })
		if len(f.Devices) >= maxDevices {
			f.Devices = f.Devices[1:]
		}
		d.ID, d.Since, d.Seen = id, now, now
		d.Name = text.SanitizeLine(d.Name, maxName)
		f.Devices = append(f.Devices, login{d, digest(cookie)})
		return nil
	})
	return cookie, err
}

// Find returns the device that has a cookie and belongs to a user of this machine.
func (l *List) Find(cookie, user string) (Device, bool) {
	hash := digest(cookie)
	f, err := l.read()
	if err != nil {
		return Device{}, false
	}
	i := slices.IndexFunc(f.Devices, func(o login) bool { return o.Cookie == hash && o.User == user })
	if i < 0 || l.now().Sub(f.Devices[i].Since) >= Life {
		return Device{}, false
	}
	d := f.Devices[i].Device
	if l.now().Sub(d.Seen) >= seenEvery {
		_ = l.setSeen(d.ID) // the list then shows an older time
	}
	return d, true
}

func (l *List) setSeen(id string) error {
	return l.change(func(f *file) error {
		if i := f.index(id); i >= 0 {
			f.Devices[i].Seen = l.now()
		}
		return nil
	})
}

// All returns the devices that are logged in, the newest first.
func (l *List) All() ([]Device, error) {
	f, err := l.read()
	if err != nil {
		return nil, err
	}
	all := []Device{}
	for _, o := range slices.Backward(f.Devices) {
		if l.now().Sub(o.Since) < Life {
			all = append(all, o.Device)
		}
	}
	return all, nil
}

// Revoke ends the login of a device. Servers close its connections.
func (l *List) Revoke(id string) error {
	return l.change(func(f *file) error {
		i := f.index(id)
		if i < 0 {
			return fault.New(fault.NotFound, fmt.Sprintf("no device %q is logged in", id), "choose one of the list").
				OnCommandLine("`device list` lists them")
		}
		f.Devices = slices.Delete(f.Devices, i, i+1)
		return nil
	})
}

// RevokeAll ends all logins and all open links.
func (l *List) RevokeAll() error {
	return l.change(func(f *file) error {
		f.Devices, f.Links = nil, nil
		return nil
	})
}

// SetAddress notes where a server that other machines can reach is, for links.
func (l *List) SetAddress(url string) error {
	return l.change(func(f *file) error {
		f.Address = url
		return nil
	})
}

// Watch calls changed when another process may have changed the list, until the returned function ends it.
func (l *List) Watch(changed func()) (end func() error, err error) {
	if l.path == "" {
		return func() error { return nil }, nil
	}
	return fileio.Watch(l.path, changed)
}

func (f *file) index(id string) int {
	return slices.IndexFunc(f.Devices, func(o login) bool { return o.ID == id })
}

// read returns the present content, which the caller does not change.
func (l *List) read() (file, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.refresh()
	return l.file, err
}

// refresh reads the file if it was replaced.
func (l *List) refresh() error {
	if l.path == "" {
		return nil
	}
	info, err := os.Stat(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		l.file, l.stamp = file{}, stamp{}
		return nil
	}
	if err != nil {
		return fmt.Errorf("devices: %w", text.StripPathError(err))
	}
	at := stamp{fileio.Inode(info), fileio.ChangeTime(info)}
	if at == l.stamp {
		return nil
	}
	var f file
	if err := fileio.ReadJSON(l.path, &f); err != nil {
		return fault.New(fault.Unavailable, err.Error(), "remove "+l.path+"; every device then logs in again")
	}
	l.file, l.stamp = f, at
	return nil
}

// change applies one change to the present content of the file. It excludes other changes of this and other processes.
func (l *List) change(edit func(*file) error) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path != "" {
		lock := flock.New(l.path + ".lock")
		if err := lock.Lock(); err != nil {
			return fmt.Errorf("devices: lock: %w", err)
		}
		defer func() { err = errors.Join(err, lock.Unlock()) }()
	}
	if err := l.refresh(); err != nil {
		return err
	}
	next := l.file
	next.Devices, next.Links = slices.Clone(next.Devices), slices.Clone(next.Links)
	if err := edit(&next); err != nil {
		return err
	}
	if l.path != "" {
		if err := fileio.WriteJSON(l.path, next); err != nil {
			return fmt.Errorf("devices: %w", err)
		}
	}
	l.file, l.stamp = next, stamp{} // the next use reads the file, which has a new time
	return nil
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
