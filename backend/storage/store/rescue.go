package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// OpenOrRescue opens the database. If it cannot be read, OpenOrRescue returns what is wrong, and a Store of the goals
// whose folders say what they are, with empty journals. What such a Store writes is discarded when it is closed; the
// goals' folders and lock files are the real ones.
func OpenOrRescue(ctx context.Context, o Options) (s *Store, problem, err error) {
	if s, problem = Open(ctx, o); problem == nil {
		// Opening reads no goal.
		if _, _, problem = s.Goals.List(ctx, Filter{Limit: 1 << 20}); problem == nil {
			return s, nil, nil
		}
		problem = errors.Join(s.explainUnreadableGoals(problem), s.Close())
	}
	if ctx.Err() != nil {
		return nil, nil, problem
	}
	s, err = openFromFolders(ctx, o)
	return s, problem, err
}

// OpenReadOnlyOrRescue is OpenOrRescue for commands that only read.
func OpenReadOnlyOrRescue(ctx context.Context, dir string) (s *Store, problem, err error) {
	if s, problem = OpenReadOnly(ctx, dir); problem == nil {
		if _, _, problem = s.Goals.List(ctx, Filter{Limit: 1 << 20}); problem == nil {
			return s, s.Damage, nil
		}
		problem = errors.Join(s.explainUnreadableGoals(problem), s.Close())
	}
	var outdated *OutdatedSchemaError
	if ctx.Err() != nil || errors.As(problem, &outdated) { // a command that writes brings it up to date
		return nil, nil, problem
	}
	s, err = openFromFolders(ctx, Options{Dir: dir})
	return s, problem, err
}

func openFromFolders(ctx context.Context, o Options) (*Store, error) {
	temp, err := os.MkdirTemp("", "goalpost-*")
	if err != nil {
		return nil, fmt.Errorf("a database for the time being: %w", err)
	}
	s, err := openFile(ctx, o, filepath.Join(temp, "goalpost.db"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	s.discard = func() error { return os.RemoveAll(temp) }
	if err := s.Goals.addFromFolders(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// explainUnreadableGoals explains an error of reading all goals. If it is not about the file, a goal is damaged.
func (s *Store) explainUnreadableGoals(err error) error {
	err = s.explain(err)
	var known *UnreadableError
	if !errors.As(err, &known) {
		err = s.explain(&damageError{err.Error()})
	}
	return err
}
