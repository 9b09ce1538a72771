// Package config is the folders of the program and what the user chose: the
// settings and the providers, kept in one settings.json.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"goalpost/backend/fault"
)

// HomeVariable names the environment variable that puts all data into one folder.
const HomeVariable = "GOALPOST_HOME"

// Config is open folders and settings. All methods may be called concurrently,
// and several processes may have the same folders open: a change is made to what
// the file holds at that moment.
type Config struct {
	state, work string
	log         *slog.Logger
	logFile     *rotatingLog

	mu   sync.Mutex
	file file
}

// Open finds the folders, makes the state folder private, and reads the
// settings. Without GOALPOST_HOME the XDG folders are used.
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
	c := &Config{state: state, work: work}
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

// StateDir finds the state folder for who only reads in it: it makes and changes
// nothing, and the folder need not exist. One of another user is refused as by Open.
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

// State is the folder of the database, the artifacts and the settings: 0700.
func (c *Config) State() string { return c.state }

// Work is the folder under which new goals get theirs.
func (c *Config) Work() string { return cmp.Or(c.Settings().WorkDir, c.work) }

// KeyFileVariable names the environment variable that says where the key of the
// encrypted secrets lies; else it lies beside them.
const KeyFileVariable = "GOALPOST_KEY_FILE"

// HideInLog says what takes secrets out of a line before it is written.
func (c *Config) HideInLog(redact func([]byte) []byte) { c.logFile.hide(redact) }

// Log writes JSON lines to the state folder, never contents of tools.
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
		return "", "", &fault.Error{Field: "HOME", Message: "HOME is not set, so there is no place for data", Hint: "set HOME, or " + HomeVariable}
	}
	state = getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification wants relative ones ignored
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "goalpost"), filepath.Join(home, "Goalpost"), nil
}

// makePrivateDir makes the folder, readable for nobody else.
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
