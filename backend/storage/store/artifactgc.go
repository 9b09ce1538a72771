package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// artifactReferences is SQL for the artifacts that rows refer to, by goal.
const artifactReferences = `WITH refs (goal_id, sum) AS (
	SELECT goal_id, image_sha256 FROM results UNION ALL SELECT goal_id, whole_sha256 FROM results UNION ALL SELECT
	goal_id, verdict ->> 'evidence' FROM verdicts)
	`

// Sweep removes unreferenced artifacts, and returns how many: a process that dies between writing a file and its
// commit leaves one.
func (a *ArtifactFiles) Sweep(ctx context.Context) (int, error) {
	hashes, err := artifactHashes(ctx, a.read, artifactReferences+"SELECT DISTINCT sum FROM refs WHERE sum <> ''")
	if err != nil {
		return 0, err
	}
	slices.Sort(hashes)
	var unused []string
	err = filepath.WalkDir(filepath.Join(a.dir, "artifacts"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if _, used := slices.BinarySearch(hashes, d.Name()); !used {
				unused = append(unused, d.Name())
			}
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("artifacts: %w", err)
	}
	return a.deleteUnreferenced(ctx, unused)
}

// deleteUnreferenced removes those of the given artifacts that nothing refers to. Files are written in the
// transaction that refers to them, and this one checks for references: an artifact that another process is about to
// refer to exists, or is written again.
func (a *ArtifactFiles) deleteUnreferenced(ctx context.Context, names []string) (n int, err error) {
	if len(names) == 0 {
		return 0, nil
	}
	list, err := json.Marshal(names)
	if err != nil {
		return 0, fmt.Errorf("artifacts: %w", err)
	}
	err = a.tx(ctx, func(tx *sql.Tx) error {
		refs, err := artifactHashes(ctx, tx, artifactReferences+
			"SELECT DISTINCT sum FROM refs WHERE sum IN (SELECT value FROM json_each(?))", string(list))
		if err != nil {
			return err
		}
		for _, name := range names {
			if slices.Contains(refs, name) {
				continue
			}
			if err := a.removeArtifact(name); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// removeArtifact removes an artifact, or an unfinished file by its name.
func (a *ArtifactFiles) removeArtifact(name string) error {
	paths := []string{a.artifact(name)}
	if strings.HasPrefix(name, unfinished) {
		var err error
		if paths, err = filepath.Glob(filepath.Join(a.dir, "artifacts", "*", name)); err != nil {
			return fmt.Errorf("artifacts: %w", err)
		}
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("artifacts: %w", err)
		}
	}
	return nil
}

func artifactHashes(ctx context.Context, q querier, query string, args ...any) ([]string, error) {
	return readRows(ctx, q, "artifacts", scanValue[string], query, args...)
}
