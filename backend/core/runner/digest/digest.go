// Package digest makes comparable keys of calls and texts.
package digest

import (
	"encoding/json"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
)

// HashText returns the hexadecimal hash of a text.
func HashText(text string) string { return fileio.Hash([]byte(text)) }

// CallKey returns the same text for calls that differ only in white space and the order of keys.
func CallKey(c goal.Call) string {
	var args any
	if err := json.Unmarshal([]byte(c.Arguments), &args); err == nil {
		if canonical, err := json.Marshal(args); err == nil {
			return c.Tool + string(canonical)
		}
	}
	return c.Tool + c.Arguments
}
