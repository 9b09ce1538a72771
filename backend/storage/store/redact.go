package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"goalpost/backend/domain/event"
)

// redactBody returns a body without secrets. It is called before anything is written, so that projection tables,
// artifacts, journal and subscribers get the same.
func (j *Journal) redactBody(b event.Body) (event.Body, error) {
	if j.redact == nil {
		return b, nil
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", b.EventType(), err)
	}
	out := b
	if clean := j.redact(raw); !bytes.Equal(clean, raw) {
		if out, err = event.Decode(b.EventType(), clean); err != nil {
			return nil, fmt.Errorf("event %s without its secrets: %w", b.EventType(), err)
		}
	}
	// Fields that are not in the JSON are redacted here.
	switch b := b.(type) {
	case *event.Step:
		if kept, ok := out.(*event.Step); ok {
			kept.Result, kept.Image, kept.Whole = string(j.redact([]byte(b.Result))), b.Image, j.redactText(b.Whole)
		}
	case *event.Verdict:
		if kept, ok := out.(*event.Verdict); ok {
			kept.Took, kept.Output = b.Took, j.redactText(b.Output)
		}
	case *event.Steered:
		if kept, ok := out.(*event.Steered); ok {
			kept.Order = b.Order
		}
	case *event.Message:
		if kept, ok := out.(*event.Message); ok {
			kept.Message.Images = b.Message.Images
		}
	}
	return out, nil
}

// redactText leaves pictures as they are.
func (j *Journal) redactText(b []byte) []byte {
	if !utf8.Valid(b) {
		return b
	}
	return j.redact(b)
}
