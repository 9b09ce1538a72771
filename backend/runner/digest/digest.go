// Package digest makes keys of calls and texts, to compare them by.
package digest

import (
	"encoding/json"

	"goalpost/backend/fileio"
	"goalpost/backend/goal"
)

// HashText returns a hash of a text, in hexadecimal.
func HashText(text string) string { return fileio.Hash([]byte(text)) }

// CallKey returns the same text for calls that differ in white space and order of keys only.
func CallKey(c goal.Call) string {
	var args any
	if err := json.Unmarshal([]byte(c.Arguments), &args); err == nil {
		if canonical, err := json.Marshal(args); err == nil {
			return c.Tool + string(canonical)
		}
	}
	return c.Tool + c.Arguments
}
