package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Limits of one reply.
const (
	maxCalls     = 128
	maxArguments = 4 << 20 // of one call, in bytes
)

// errLongCall means that the arguments of a call are longer than any tool accepts.
var errLongCall = errors.New("the arguments of a call are too long")

// toolCallDelta is a piece of a tool call. OpenAI numbers the calls and sends id and name once; other servers omit
// the number, repeat the id, number every call 0, or send the arguments as an object.
type toolCallDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Extra callExtra `json:"extra_content"`
}

// isEmpty reports whether a piece has no content, as a null in the list has none.
func (t toolCallDelta) isEmpty() bool {
	return t.Index == nil && t.ID == "" && t.Function.Name == "" && len(t.Function.Arguments) == 0
}

// callExtra is Google's addition to a call. Gemini 3 rejects a conversation with a call that lacks it.
type callExtra struct{ signature string }

func (c *callExtra) UnmarshalJSON(b []byte) error {
	var extra chatExtraContent
	if json.Unmarshal(b, &extra) == nil { // other servers' extras have other shapes
		c.signature = extra.Google.ThoughtSignature
	}
	return nil
}

type toolCallSlot struct {
	index int // -1 if the server does not number calls
	call  goal.Call
	args  bytes.Buffer
	// signature is Google's, "" if there is none.
	signature string
}

// toolCallAssembler joins the pieces of calls, which it keeps in order of appearance.
type toolCallAssembler struct {
	list    []*toolCallSlot
	size    int           // bytes of arguments so far
	tooLong *toolCallSlot // the call whose arguments are too long, nil if none
}

func (t *toolCallAssembler) add(p toolCallDelta) error {
	if p.isEmpty() {
		return nil
	}
	slot := t.find(p)
	if slot == nil {
		var err error
		if slot, err = t.newSlot(); err != nil {
			return err
		}
		if p.Index != nil {
			slot.index = *p.Index
		}
	}
	if slot.call.ID == "" {
		slot.call.ID = p.ID
	}
	if p.Extra.signature != "" {
		slot.signature = p.Extra.signature
	}
	if n := p.Function.Name; n != slot.call.Tool && slot.args.Len() == 0 {
		slot.call.Tool += n // whole, or in pieces
	}
	return t.append(slot, func() { slot.write(p.Function.Arguments) })
}

// newSlot begins another call.
func (t *toolCallAssembler) newSlot() (*toolCallSlot, error) {
	if len(t.list) == maxCalls {
		return nil, &Error{
			Kind:    Mistaken,
			Message: fmt.Sprintf("the reply contains more than %d tool calls: make a few at a time", maxCalls),
		}
	}
	slot := &toolCallSlot{index: -1}
	t.list = append(t.list, slot)
	return slot, nil
}

// append lets write add to a call's arguments, and returns an error if they are too long.
func (t *toolCallAssembler) append(slot *toolCallSlot, write func()) error {
	before := slot.args.Len()
	write()
	t.size += slot.args.Len() - before
	if slot.args.Len() > maxArguments {
		t.tooLong = slot
		return errLongCall
	}
	return nil
}

// find returns the call that a piece continues, nil if the piece begins another one.
func (t *toolCallAssembler) find(p toolCallDelta) *toolCallSlot {
	for _, s := range slices.Backward(t.list) {
		if p.ID != "" && s.call.ID == p.ID && (p.Index == nil || s.index == *p.Index) {
			return s
		}
	}
	for _, s := range slices.Backward(t.list) {
		if p.Index != nil && s.index == *p.Index {
			if s.isFollowedBy(p) {
				continue // every call is numbered 0
			}
			return s
		}
	}
	if p.Index != nil || p.ID != "" || len(t.list) == 0 {
		return nil
	}
	last := t.list[len(t.list)-1]
	if p.Function.Name != "" && json.Valid(last.args.Bytes()) {
		return nil // the call is complete, so this piece begins the next one
	}
	return last
}

// isFollowedBy reports whether a piece with the same number begins another call. Such a piece has a name, but so has
// every piece of servers that repeat the name or send a new id each time; there, the arguments decide.
func (t *toolCallSlot) isFollowedBy(p toolCallDelta) bool {
	if p.Function.Name == "" {
		return false
	}
	if p.ID != "" && t.call.ID != "" && p.ID != t.call.ID {
		hasBegun := t.args.Len() > 0 && !json.Valid(t.args.Bytes())
		isPiece := len(p.Function.Arguments) > len(`""`) && !isWholeArguments(p.Function.Arguments)
		return p.Function.Name != t.call.Tool || !hasBegun && (t.args.Len() > 0 || !isPiece)
	}
	return p.ID == "" && t.call.ID == "" && isWholeObject(t.args.String()) && isWholeArguments(p.Function.Arguments)
}

// isWholeArguments reports whether a piece of arguments is a complete object.
func isWholeArguments(raw json.RawMessage) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return isWholeObject(text)
	}
	return isWholeObject(string(raw))
}

func isWholeObject(s string) bool {
	return strings.HasPrefix(strings.TrimSpace(s), "{") && json.Valid([]byte(s))
}

// joinArguments repairs arguments that a server sent twice or after an empty object. It returns all others unchanged,
// even broken ones.
func joinArguments(s string) string {
	if json.Valid([]byte(s)) || !strings.HasPrefix(strings.TrimSpace(s), "{") {
		return s
	}
	var found json.RawMessage
	for d := json.NewDecoder(strings.NewReader(s)); ; {
		var next json.RawMessage
		err := d.Decode(&next)
		switch {
		case errors.Is(err, io.EOF) && found != nil:
			return string(found)
		case err != nil:
			return s
		case found == nil || isEmptyObject(found):
			found = next
		case !isEmptyObject(next) && !isSameJSON(found, next):
			return s
		}
	}
}

func isEmptyObject(raw json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &object) == nil && object != nil && len(object) == 0
}

func isSameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func (t *toolCallSlot) write(raw json.RawMessage) {
	var text *string
	switch {
	case len(raw) == 0:
	case json.Unmarshal(raw, &text) == nil:
		if text != nil {
			t.args.WriteString(*text)
		}
	default:
		t.args.Write(raw) // an object
	}
}

func (t *toolCallAssembler) buildCalls() []goal.Call {
	var out []goal.Call
	for _, s := range t.list {
		s.call.Arguments = text.ToUTF8(joinArguments(s.args.String()))
		if s.args.Len() == 0 {
			s.call.Arguments = "{}"
		}
		s.call.Tool = s.name()
		out = append(out, s.call)
	}
	return out
}

// signatures returns the signatures of the calls in order, "" for calls without one.
func (t *toolCallAssembler) signatures() []string {
	list := make([]string, 0, len(t.list))
	for _, s := range t.list {
		list = append(list, s.signature)
	}
	return list
}

// markTruncated replaces the arguments of the last call if the reply was cut off in it: with half of its arguments,
// the call is not what the model meant.
func (t *toolCallAssembler) markTruncated() {
	if len(t.list) == 0 {
		return
	}
	if last := t.list[len(t.list)-1]; !json.Valid(last.args.Bytes()) {
		last.args.Reset()
		last.args.WriteString(`"The reply was cut off in this call, at the longest reply that the provider allows. ` +
			`Nothing was done. Send less at a time."`)
	}
}

// name returns the tool name that the model wrote, shortened; "unnamed" if it wrote none, for which the dispatcher has
// no tool.
func (t *toolCallSlot) name() string {
	const maxBytes = 128
	name := text.SanitizeLine(t.call.Tool, maxMessage)
	switch {
	case name == "":
		return "unnamed"
	case len(name) > maxBytes:
		return strings.ToValidUTF8(name[:maxBytes], "")
	}
	return name
}

// validID matches the ids that every provider accepts back.
var validID = text.NewPattern(`^[!-~]{1,128}$`)

// assignID gives a unique id to calls without a usable one, and to calls that share one.
func assignID(r *goal.Reply, turn int) {
	ids := make(map[string]bool, len(r.Calls))
	for i := range r.Calls {
		id := r.Calls[i].ID
		if !validID.MatchString(id) || ids[id] {
			id = fmt.Sprintf("call_%d_%d", turn, i)
		}
		ids[id] = true
		r.Calls[i].ID = id
	}
}

var invalidNameChars = text.NewPattern(`[^A-Za-z0-9_-]`)

// toValidName makes an id or a tool's name acceptable to every server. With an invalid one, made up by a model, the
// server would reject the conversation for ever.
func toValidName(s string) string {
	const maxBytes = 64
	s = invalidNameChars.ReplaceAllString(s, "_")
	if s == "" {
		return "_"
	}
	return s[:min(len(s), maxBytes)]
}
