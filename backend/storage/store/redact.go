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
		if step, ok := out.(*event.Step); ok {
			step.Result, step.Image, step.Whole = string(j.redact([]byte(b.Result))), b.Image, j.redactText(b.Whole)
		}
	case *event.Verdict:
		if verdict, ok := out.(*event.Verdict); ok {
			verdict.Took, verdict.Output = b.Took, j.redactText(b.Output)
		}
	case *event.Steered:
		if note, ok := out.(*event.Steered); ok {
			note.Order = b.Order
		}
	case *event.Message:
		if message, ok := out.(*event.Message); ok {
			message.Message.Images = b.Message.Images
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
