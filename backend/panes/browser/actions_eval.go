package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// unescapeJSON returns a value without the escapes that Chromium writes for every letter that is
// not ASCII.
func unescapeJSON(value []byte) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return "", fmt.Errorf("the page's answer: %w", err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "", fmt.Errorf("the page's answer: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// evaluateResult replaces proto.RuntimeEvaluateResult, which would decode the value into a tree.
type evaluateResult struct {
	Result struct {
		Value json.RawMessage `json:"value"`
	} `json:"result"`
	Exception *proto.RuntimeExceptionDetails `json:"exceptionDetails"`
}

// evaluate runs an expression in an execution context of the page (0: the page's own) and returns
// its value as JSON. It awaits a promise.
func evaluate(ctx context.Context, pg *page, world proto.RuntimeExecutionContextID, expression string) ([]byte, error) {
	return evaluateWithin(ctx, pg.callLimit(), pg, world, expression)
}

func evaluateWithin(
	ctx context.Context, limit time.Duration, pg *page, world proto.RuntimeExecutionContextID, expression string,
) ([]byte, error) {
	req := proto.RuntimeEvaluate{Expression: expression, ContextID: world}
	if c := pg.worlds.Get(world); c.Unique != "" {
		req.ContextID, req.UniqueContextID = 0, c.Unique
	}
	return pg.evaluateJSON(ctx, limit, req)
}

// evaluateJSON evaluates an expression and returns its value as JSON.
func (p *page) evaluateJSON(ctx context.Context, limit time.Duration, req proto.RuntimeEvaluate) ([]byte, error) {
	var out []byte
	err := p.do(ctx, limit, "asking the page", func(c proto.Client) error {
		req.ReturnByValue, req.AwaitPromise, req.Silent = true, true, true
		raw, err := cdp.CallRaw(c, req)
		if err != nil {
			return fmt.Errorf("chromium: %w", err)
		}
		var got evaluateResult
		if err := json.Unmarshal(raw, &got); err != nil {
			return fmt.Errorf("the page's answer: %w", err)
		}
		if got.Exception != nil {
			return exceptionError(got.Exception)
		}
		if out = got.Result.Value; out == nil { // undefined
			out = []byte("null")
		}
		return nil
	})
	return out, err
}

// listMembers returns the objects of the list that an expression evaluates to.
func listMembers(
	c proto.Client, world *script.PageContext, list string,
) (objects []proto.RuntimeRemoteObjectID, err error) {
	found, err := cdp.Call(c, world.Evaluate(list))
	if err != nil {
		return nil, err
	}
	props, err := cdp.Call(c, proto.RuntimeGetProperties{ObjectID: found.Result.ObjectID, OwnProperties: true})
	if err != nil {
		return nil, err
	}
	for _, prop := range props.Result {
		if _, bad := strconv.Atoi(prop.Name); bad == nil && prop.Value != nil && prop.Value.ObjectID != "" {
			objects = append(objects, prop.Value.ObjectID)
		}
	}
	return objects, nil
}

// Eval runs script in the page's own world and returns its value as JSON, at most 16 KB of it.
// The value is hostile.
func (ac *Actions) Eval(ctx context.Context, script string) (string, error) {
	var out string
	err := ac.turns.withTurn(ctx, "running a script", func(ctx context.Context, pg *page) error {
		raw, err := evaluate(ctx, pg, 0, script)
		if err != nil {
			return err
		}
		out, err = unescapeJSON(raw)
		out = text.TruncateBytes(out, 16<<10)
		return err
	})
	return out, err
}
