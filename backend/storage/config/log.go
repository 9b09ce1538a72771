package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

const (
	maxLogSize  = 10 << 20 // bytes of one file
	maxLogFiles = 5
)

// rotatingLog is a log file that is rotated when it is full: goalpost.log, goalpost.log.1 … .4. Several processes may
// write to it, and the one that finds it full rotates it.
type rotatingLog struct {
	mu   sync.Mutex
	path string
	file *os.File
	size int64
	// redact removes secrets from a line; nil changes nothing.
	redact func([]byte) []byte
}

func openLog(dir string) (*rotatingLog, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("log folder: %w", err)
	}
	r := &rotatingLog{path: filepath.Join(dir, "goalpost.log")}
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *rotatingLog) open() error {
	f, err := os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("log: %w", err), f.Close())
	}
	r.file, r.size = f, info.Size()
	return nil
}

func (r *rotatingLog) setRedact(redact func([]byte) []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.redact = redact
}

func (r *rotatingLog) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := line
	if r.redact != nil {
		b = r.redact(line)
	}
	if r.size > 0 && r.size+int64(len(b)) > maxLogSize {
		_ = r.rotate() // a log that cannot be rotated is better than none
	}
	n, err := r.file.Write(b)
	r.size += int64(n)
	if err != nil {
		return 0, fmt.Errorf("log: %w", err)
	}
	return len(line), nil
}

// rotate renames the files and begins a new one. If that fails, the old file remains in use, and the next try follows
// after maxLogSize more bytes.
func (r *rotatingLog) rotate() error {
	r.size = 0
	if info, err := os.Stat(r.path); err == nil && info.Size()+1 > maxLogSize/2 { // another process may have rotated it
		for i := maxLogFiles - 2; i >= 0; i-- {
			from := r.path
			if i > 0 {
				from = fmt.Sprintf("%s.%d", r.path, i)
			}
			if err := os.Rename(from, fmt.Sprintf("%s.%d", r.path, i+1)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("log: %w", err)
			}
		}
	}
	old := r.file
	if err := r.open(); err != nil {
		r.file = old
		return err
	}
	if err := old.Close(); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}

// Close closes the file.
func (r *rotatingLog) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}
