package browser

import (
	"context"
	_ "embed" // for the scripts
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
)

// worldName names the isolated world of our scripts: it shares the document
// with the page, and nothing else, so the page can neither see nor alter them.
const worldName = "goalpost"

//go:embed hand.js
var zoomScript string

// addScript has what rod's type of 2024 does not know.
type addScript struct {
	Source         string `json:"source"`
	WorldName      string `json:"worldName,omitempty"` // the page's own if ""
	RunImmediately bool   `json:"runImmediately"`
}

// ProtoReq is asked for by proto.
func (addScript) ProtoReq() string { return "Page.addScriptToEvaluateOnNewDocument" }

func exception(e *proto.RuntimeExceptionDetails) error {
	text := e.Text
	if e.Exception != nil && e.Exception.Description != "" {
		text = e.Exception.Description
	}
	return errors.New(sanitize.Line(fmt.Sprintf("the page's script failed: %s", text), 400))
}

//go:embed walker.js
var snapshotScript string

//go:embed reader.js
var extractScript string

//go:embed cover.js
var redactScript string

// scriptWorldName names the isolated world of walker.js. It may look into every frame of
// its process, of whichever origin, which the other world may not.
const scriptWorldName = "goalpost eyes"

// notFoundError is why the page could not do what was asked, in the words of walker.js.
type notFoundError struct{ code, words string }

func (m *notFoundError) Error() string { return m.words }

// Is makes a miss for want of the element the error that callers know.
func (m *notFoundError) Is(target error) bool { return target == ErrStale && m.code == "stale" }

// targetNotFound says that nothing on the page fits a target.
func targetNotFound(err error) bool {
	var m *notFoundError
	return errors.As(err, &m) && m.code == "none"
}

// isNotFound says that the page answered, and why it could not.
func isNotFound(err error) bool {
	var m *notFoundError
	return errors.As(err, &m)
}

// callScript calls a function of walker.js in the page's isolated world and decodes
// what it gives into out.
func (pg *page) callScript(ctx context.Context, out any, function string, args ...any) error {
	list, err := arguments(args)
	if err != nil {
		return err
	}
	if pg.part {
		if time.Now().UnixNano() < pg.dull.Load() {
			return errFrameUnresponsive
		}
		limited, cancel := context.WithTimeout(ctx, pg.engine.m.limits.part)
		defer cancel()
		defer func(outer context.Context) {
			if limited.Err() != nil && outer.Err() == nil {
				pg.dull.Store(time.Now().Add(frameTimeout).UnixNano())
			}
		}(ctx)
		ctx = limited
	}
	raw, err := pg.evalInScriptWorld(ctx, "goalpost."+pg.invocation(function, list))
	if err != nil {
		return err
	}
	var answer struct {
		OK      json.RawMessage `json:"ok"`
		Code    string          `json:"code"`
		Message string          `json:"message"`
		Last    int64           `json:"last"`   // the number of the newest ref
		Frames  int64           `json:"frames"` // and of the newest frame
	}
	// A text costs Chromium far less than a tree of values does.
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf("the page's answer: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return fmt.Errorf("the page's answer: %w", err)
	}
	pg.count.observe(pg, answer.Last, answer.Frames)
	switch {
	case answer.Code == "stale":
		return &notFoundError{"stale", sanitize.Line(answer.Message, 40) + ": " + ErrStale.Error()}
	case answer.Code != "":
		return &notFoundError{answer.Code, sanitize.Line(answer.Message, 900)}
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(answer.OK, out); err != nil {
		return fmt.Errorf("the page's answer: %w", err)
	}
	return nil
}

// callScriptAsync calls a function of walker.js without waiting for what it says; what is asked
// next comes after it. It says whether there is anybody to tell.
func (pg *page) callScriptAsync(function string) bool {
	if pg.part && time.Now().UnixNano() < pg.dull.Load() {
		return false
	}
	return pg.send(function)
}

// send is tell, also to a part that did not answer lately.
func (pg *page) send(function string, args ...any) bool {
	world := pg.eyes.Load()
	list, err := arguments(args)
	if world == nil || err != nil {
		return false
	}
	req := world.call("globalThis.goalpost?." + pg.invocation(function, list))
	req.Silent = true
	pg.post(req)
	return true
}

// invocation is the call of a function of walker.js.
func (pg *page) invocation(function, arguments string) string {
	return fmt.Sprintf("from(%d,%d).%s(%s)", pg.count.refs.Load(), pg.count.frames.Load(), function, arguments)
}

// arguments are values as JavaScript.
func arguments(values []any) (string, error) {
	list := make([]string, len(values))
	for i, v := range values {
		b, err := json.Marshal(v)
		if err != nil {
			return "", fmt.Errorf("asking the page: %w", err)
		}
		list[i] = string(b)
	}
	return strings.Join(list, ","), nil
}

// evalInScriptWorld evaluates an expression where walker.js is. The world lives as long as
// the document: most calls find it, and the script in it, there.
func (pg *page) evalInScriptWorld(ctx context.Context, invoke string) ([]byte, error) {
	world, fresh, err := pg.scriptContext(ctx)
	if err != nil {
		return nil, err
	}
	expression := "globalThis.goalpost ? " + invoke + " : null"
	raw, err := pg.value(ctx, callLimit, world.call(expression))
	if !fresh && documentWasLeft(err) {
		pg.eyes.CompareAndSwap(world, nil)
		if world, _, err = pg.scriptContext(ctx); err != nil {
			return nil, err
		}
		raw, err = pg.value(ctx, callLimit, world.call(expression))
	}
	if err == nil && string(raw) == "null" {
		raw, err = pg.value(ctx, callLimit, world.call(fmt.Sprintf("globalThis.goalpostPart = %t; %s; %s; %s; %s", pg.part, snapshotScript, extractScript, redactScript, invoke)))
	}
	return raw, err
}

// scriptContext are the world of walker.js in one document. By its id alone it could be taken for
// another one, even for the page's own, once the page is in another process.
type scriptContext struct {
	id     proto.RuntimeExecutionContextID
	unique string
}

func (e *scriptContext) call(expression string) proto.RuntimeEvaluate {
	return proto.RuntimeEvaluate{Expression: expression, UniqueContextID: e.unique}
}

// isOtherDocument says that the page shows another document.
func (pg *page) isOtherDocument() {
	pg.worlds.mu.Lock()
	defer pg.worlds.mu.Unlock()
	pg.documents.Add(1)
	pg.eyes.Store(nil)
}

// setScriptContext keeps the eyes of this id, unless the document is gone that they are in.
func (pg *page) setScriptContext(id proto.RuntimeExecutionContextID, documents int64) *scriptContext {
	pg.worlds.mu.Lock()
	defer pg.worlds.mu.Unlock()
	own := pg.worlds.known[id]
	if own.name != scriptWorldName || pg.documents.Load() != documents {
		return nil
	}
	e := &scriptContext{id, own.unique}
	pg.eyes.Store(e)
	return e
}

// scriptContext gives the eyes, and says whether they were opened just now.
func (pg *page) scriptContext(ctx context.Context) (*scriptContext, bool, error) {
	for range 3 {
		if e := pg.eyes.Load(); e != nil {
			return e, false, nil
		}
		documents := pg.documents.Load()
		id, err := pg.createIsolatedWorld(ctx, proto.PageCreateIsolatedWorld{FrameID: pg.frame(), WorldName: scriptWorldName, GrantUniveralAccess: true})
		if err != nil {
			return nil, false, err
		}
		if e := pg.setScriptContext(id, documents); e != nil {
			return e, true, nil
		}
	}
	return nil, false, errors.New("the page goes elsewhere again and again")
}

// mainWorldContext gives the execution context of our isolated world in the main frame;
// Chromium makes it once for each document.
func (pg *page) mainWorldContext(ctx context.Context) (proto.RuntimeExecutionContextID, error) {
	return pg.createIsolatedWorld(ctx, proto.PageCreateIsolatedWorld{FrameID: pg.frame(), WorldName: worldName})
}

func (pg *page) createIsolatedWorld(ctx context.Context, req proto.PageCreateIsolatedWorld) (id proto.RuntimeExecutionContextID, err error) {
	err = pg.do(ctx, callLimit, "asking the page", func(c proto.Client) error {
		made, err := cdp.Call(c, req)
		if err == nil {
			id = made.ExecutionContextID
		}
		return err
	})
	pg.engine.DrainEvents() // with its unique name, which is told before
	return id, err
}
