// Package config finds the folders of the program and keeps the user's choices, the settings and the providers, in one
// settings.json.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"goalpost/backend/lib/fault"
)

// HomeVariable is the environment variable that puts all data into one folder.
const HomeVariable = "GOALPOST_HOME"

// Config holds the open folders and the settings. All methods may be called concurrently, and several processes may
// have the same folders open: a change is applied to the present content of the file.
type Config struct {
	state, work string
	home        string
	log         *slog.Logger
	logFile     *rotatingLog

	mu       sync.Mutex
	file     file
	read     []byte        // the file when it was parsed last, nil before that
	problems []FileProblem // of that
}

// Open finds the folders, makes the state folder private, and reads the settings. Without GOALPOST_HOME the XDG folders
// are used.
func Open(getenv func(string) string) (*Config, error) {
	state, work, err := defaultDirs(getenv)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{state, work} {
		if err := checkRootOwnership(dir); err != nil {
			return nil, err
		}
	}
	if err := makePrivateDir(state); err != nil {
		return nil, err
	}
	c := &Config{state: state, work: work, home: getenv("HOME")}
	rotating, err := openLog(filepath.Join(state, "log"))
	if err != nil {
		return nil, err
	}
	c.logFile, c.log = rotating, slog.New(slog.NewJSONHandler(rotating, nil))
	if err := c.load(); err != nil {
		return nil, errors.Join(err, rotating.Close())
	}
	return c, nil
}

// StateDir finds the state folder for commands that only read: it creates and changes nothing, and the folder need
// not exist. As in Open, a folder of another user is refused.
func StateDir(getenv func(string) string) (string, error) {
	state, _, err := defaultDirs(getenv)
	if err != nil {
		return "", err
	}
	if err := checkStateOwner(state); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return state, nil
}

// Close closes the log.
func (c *Config) Close() error {
	if err := c.logFile.Close(); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}

// State returns the folder of the database, the artifacts and the settings. Its mode is 0700.
func (c *Config) State() string { return c.state }

// Home returns the user's own folder, "" if there is none.
func (c *Config) Home() string { return c.home }

// Work returns the folder in which new goals get their folders.
func (c *Config) Work() string { return cmp.Or(c.Settings().WorkDir, c.work) }

// KeyFileVariable is the environment variable with the path of the key of the encrypted secrets. By default the key is
// beside them.
const KeyFileVariable = "GOALPOST_KEY_FILE"

// HideInLog sets the function that removes secrets from a line before it is written.
func (c *Config) HideInLog(redact func([]byte) []byte) { c.logFile.setRedact(redact) }

// Log returns the logger. It writes JSON lines to the state folder; callers must never log what tools read or print.
func (c *Config) Log() *slog.Logger { return c.log }

func defaultDirs(getenv func(string) string) (state, work string, err error) {
	if home := getenv(HomeVariable); home != "" {
		if home, err = filepath.Abs(home); err != nil {
			return "", "", fmt.Errorf("%s: %w", HomeVariable, err)
		}
		return filepath.Join(home, "state"), filepath.Join(home, "work"), nil
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", "", fault.Invalid("HOME", "HOME is not set, so there is no folder for data",
			"set HOME, or "+HomeVariable)
	}
	state = getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the XDG specification says to ignore relative ones
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "goalpost"), filepath.Join(home, "Goalpost"), nil
}

// makePrivateDir creates the folder, readable only by this user.
func makePrivateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	if err := checkStateOwner(dir); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	return nil
}
