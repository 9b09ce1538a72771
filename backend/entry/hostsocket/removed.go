package hostsocket

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// endIfRemoved ends the host when its socket is removed, as it is with the data folder: no program could reach the host
// any more, and what it owns would run forever. The returned function ends the watch.
func (s *Server) endIfRemoved(state string) (end func() error, err error) {
	socket := filepath.Join(state, socketName)
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(socket); err != nil {
			err = errors.Join(err, w.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("watch the host socket: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for isOpen := true; isOpen; {
			select { // what happened does not matter: the kernel reports the number of names as an attribute
			case _, isOpen = <-w.Events:
			case _, isOpen = <-w.Errors:
			}
			if _, err := os.Lstat(socket); isOpen && errors.Is(err, os.ErrNotExist) {
				s.o.Log.Warn("the host process ends: its socket was removed", "path", socket)
				s.stop()
			}
		}
	}()
	return func() error {
		err := w.Close()
		<-done
		return err //nolint:wrapcheck // the caller adds the context
	}, nil
}
