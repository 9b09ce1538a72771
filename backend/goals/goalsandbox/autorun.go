package goalsandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/autorun"
)

// AutorunBaselineFile, in the goal's private folder, lists what git and editors would run automatically in the goal's
// folders before the goal began.
const AutorunBaselineFile = "autorun.json"

// RecordAutorunBaseline records what git and editors would run automatically in the goal's folders. After the first
// start it does nothing.
func RecordAutorunBaseline(p policy.Policy, layer string) error {
	path := filepath.Join(layer, AutorunBaselineFile)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err //nolint:wrapcheck // nil, or it says stat and the path
	}
	body, err := json.Marshal(ListAutorun(p))
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		return fmt.Errorf("record the autorun files: %w", err)
	}
	return nil
}

// addToAutorunBaseline does the same for a folder that the user allows later.
func addToAutorunBaseline(dir, layer string) error {
	path := filepath.Join(layer, AutorunBaselineFile)
	before := []string{}
	body, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(body, &before)
	}
	if err == nil {
		body, err = json.Marshal(append(before, ListAutorun(policy.Policy{}, dir)...))
	}
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		return fmt.Errorf("record the autorun files of %s: %w", dir, err)
	}
	return nil
}

// ListAutorun lists what git and editors would run automatically in the folders of a policy, and in more.
func ListAutorun(p policy.Policy, more ...string) []string {
	list := []string{}
	for _, dir := range slices.Concat([]string{p.Dir}, p.AllowWrite, more) {
		if dir == "" {
			continue
		}
		found, err := autorun.ListAutorun(dir)
		if err != nil {
			continue // the folder was deleted
		}
		for _, line := range found {
			list = append(list, filepath.Join(dir, line))
		}
	}
	return list
}
