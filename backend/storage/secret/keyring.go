package secret

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	keyrings "github.com/zalando/go-keyring"
)

// errNotStored means that the backend does not have the value.
var errNotStored = errors.New("it is no longer stored there")

// keyringTimeout is how long a keyring may take. A locked one first asks the user in a dialog of its own.
const keyringTimeout = 60 * time.Second

// keyring stores values in the system's keyring, under one service name for each data folder.
type keyring struct{ service string }

func (k keyring) set(ctx context.Context, id, value string) error {
	return withTimeout(ctx, "store it in the keyring", func() error { return keyrings.Set(k.service, id, value) })
}

func (k keyring) get(ctx context.Context, id string) (value string, err error) {
	read := make(chan string, 1)
	err = withTimeout(ctx, "read it from the keyring", func() error {
		v, err := keyrings.Get(k.service, id)
		read <- v
		return err //nolint:wrapcheck // withTimeout adds the context
	})
	if err != nil {
		return "", err
	}
	return <-read, nil
}

func (k keyring) remove(ctx context.Context, id string) error {
	err := withTimeout(ctx, "remove it from the keyring", func() error { return keyrings.Delete(k.service, id) })
	if errors.Is(err, errNotStored) {
		return nil
	}
	return err
}

// withTimeout limits a call that takes no context. A call that takes longer keeps running until the program ends.
func withTimeout(ctx context.Context, what string, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	ctx, cancel := context.WithTimeout(ctx, keyringTimeout)
	defer cancel()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = fmt.Errorf("no answer: %w", ctx.Err())
	}
	switch {
	case errors.Is(err, keyrings.ErrNotFound):
		return errNotStored
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// probe returns an error if the system's keyring does not answer.
func (k keyring) probe(ctx context.Context) error {
	if !hasSessionBus() {
		return errors.New("no session bus is running")
	}
	if _, err := k.get(ctx, "probe"); err != nil && !errors.Is(err, errNotStored) {
		return err
	}
	return nil
}

// hasSessionBus reports whether there is a session bus. Without one the library would start its own, which has
// no secrets and keeps running.
func hasSessionBus() bool {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	info, err := os.Stat(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus"))
	return err == nil && os.Getenv("XDG_RUNTIME_DIR") != "" && info.Mode()&os.ModeSocket != 0
}

// keyringName is what the user calls it.
const keyringName = "the keyring of your session (Secret Service)"
