package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

func exceptionError(e *proto.RuntimeExceptionDetails) error {
	what := e.Text
	if e.Exception != nil && e.Exception.Description != "" {
		what = e.Exception.Description
	}
	return errors.New(text.SanitizeLine(scriptFailed+what, 400))
}

// scriptFailed begins each error of a page's script.
const scriptFailed = "the page's script failed: "

// notFoundError is an error that page.js reports, such as a target without an element.
type notFoundError struct{ code, words string }

func (n *notFoundError) Error() string { return n.words }

// Is makes the code "stale" match ErrStale.
func (n *notFoundError) Is(target error) bool { return target == ErrStale && n.code == "stale" }

// errorCode returns the code of an error that page.js reports, "" for other errors. "none" means
// that no element of the page matches the target.
func errorCode(err error) string {
	var m *notFoundError
	if errors.As(err, &m) {
		return m.code
	}
	return ""
}

// callScript calls a function of page.js in the page's isolated world and decodes its result
// into out.
func (p *page) callScript(ctx context.Context, out any, function string, args ...any) error {
	list, err := script.Arguments(args)
	if err != nil {
		return err
	}
	if p.isSilent() {
		return errFrameUnresponsive
	}
	if p.isRemoteFrame {
		limited, cancel := p.boundAnswers(ctx)
		defer cancel()
		defer func(outer context.Context) {
			if limited.Err() != nil && outer.Err() == nil {
				p.silentUntil.Store(time.Now().Add(frameTimeout).UnixNano())
			}
		}(ctx)
		ctx = limited
	}
	raw, err := p.evalInScriptWorld(ctx, "goalpost."+p.scriptCall(function, list))
	if err != nil {
		return err
	}
	var answer struct {
		OK      json.RawMessage `json:"ok"`
		Code    string          `json:"code"`
		Message string          `json:"message"`
		Last    int64           `json:"last"`   // the number of the newest ref
		Frames  int64           `json:"frames"` // the number of the newest frame
	}
	// Chromium serializes a string much faster than a tree of values.
	var reply string
	if err := json.Unmarshal(raw, &reply); err != nil {
		return fmt.Errorf("the page's answer: %w", err)
	}
	head, lines, _ := strings.Cut(reply, "\n") // JSON has no line breaks
	if err := json.Unmarshal([]byte(head), &answer); err != nil {
		return fmt.Errorf("the page's answer: %w", err)
	}
	p.refs.observeNumbers(p, answer.Last, answer.Frames)
	switch {
	case answer.Code == "stale":
		return &notFoundError{"stale", text.SanitizeLine(answer.Message, 40) + ": " + ErrStale.Error()}
	case answer.Code != "":
		return &notFoundError{answer.Code, text.SanitizeLine(answer.Message, 900)}
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(answer.OK, out); err != nil {
		return fmt.Errorf("the page's answer: %w", err)
	}
	if receiver, ok := out.(lineReceiver); ok {
		receiver.setLines(lines)
	}
	return nil
}

// lineReceiver is a result whose lines follow the JSON.
type lineReceiver interface{ setLines(text string) }

// callScriptAsync calls a function of page.js without waiting for its result; later calls run
// after it. It reports false if the script cannot be called.
func (p *page) callScriptAsync(function string) bool {
	if p.isSilent() {
		return false
	}
	return p.sendScript(function)
}

// sendScript is callScriptAsync with arguments, also to a frame that did not answer recently.
func (p *page) sendScript(function string, args ...any) bool {
	world := p.worlds.Page.Load()
	list, err := script.Arguments(args)
	if world == nil || err != nil {
		return false
	}
	req := world.Evaluate("globalThis.goalpost?." + p.scriptCall(function, list))
	req.Silent = true
	p.Post(req)
	return true
}

// scriptCall formats a call of a function of page.js.
func (p *page) scriptCall(function, arguments string) string {
	return fmt.Sprintf("from(%d,%d).%s(%s)", p.refs.refs.Load(), p.refs.frames.Load(), function, arguments)
}

// evalInScriptWorld evaluates an expression in the world of page.js. The world lives as long
// as the document, so only the first call has to create it and run the script.
func (p *page) evalInScriptWorld(ctx context.Context, invoke string) ([]byte, error) {
	world, fresh, err := p.scriptContext(ctx)
	if err != nil {
		return nil, err
	}
	expression := "globalThis.goalpost ? " + invoke + " : null"
	raw, err := p.evaluateJSON(ctx, p.callLimit(), world.Evaluate(expression))
	if !fresh && isDocumentGone(err) {
		p.worlds.Page.CompareAndSwap(world, nil)
		if world, _, err = p.scriptContext(ctx); err != nil {
			return nil, err
		}
		raw, err = p.evaluateJSON(ctx, p.callLimit(), world.Evaluate(expression))
	}
	if err == nil && string(raw) == "null" {
		raw, err = p.evaluateJSON(ctx, p.callLimit(),
			world.Evaluate(fmt.Sprintf("globalThis.goalpostRemoteFrame = %t; %s; %s", p.isRemoteFrame, script.Page, invoke)))
	}
	if err == nil {
		world.HasScript.Store(true)
	}
	return raw, err
}

// scriptContext returns the world of page.js, and reports whether it was created just now.
func (p *page) scriptContext(ctx context.Context) (*script.PageContext, bool, error) {
	for range 3 {
		if e := p.worlds.Page.Load(); e != nil {
			return e, false, nil
		}
		documents := p.worlds.Documents()
		id, err := p.createIsolatedWorld(ctx, proto.PageCreateIsolatedWorld{
			FrameID:             p.mainFrame(),
			WorldName:           script.PageWorldName,
			GrantUniveralAccess: true,
		})
		if err != nil {
			return nil, false, err
		}
		if e := p.worlds.SetPage(id, documents); e != nil {
			return e, true, nil
		}
	}
	return nil, false, errors.New("the page keeps navigating")
}

// userPromptsContext returns the world of userprompts.js in the main frame, which Chromium creates
// once for each document.
func (p *page) userPromptsContext(ctx context.Context) (proto.RuntimeExecutionContextID, error) {
	return p.createIsolatedWorld(ctx, proto.PageCreateIsolatedWorld{
		FrameID:   p.mainFrame(),
		WorldName: script.UserPromptsWorldName,
	})
}

func (p *page) createIsolatedWorld(
	ctx context.Context, req proto.PageCreateIsolatedWorld,
) (id proto.RuntimeExecutionContextID, err error) {
	err = p.do(ctx, p.callLimit(), "asking the page", func(c proto.Client) error {
		world, err := cdp.Call(c, req)
		if err == nil {
			id = world.ExecutionContextID
		}
		return err
	})
	p.process.DrainEvents() // its unique name is in an event before the answer
	return id, err
}
