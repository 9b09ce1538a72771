package cdp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/waittest"
)

// fakeChromium answers each command with the next of its answers, and reports the commands.
func fakeChromium(t *testing.T, answers ...string) (*Conn, <-chan string) {
	t.Helper()
	fromChromium, toUs := pipeOf(t)
	fromUs, toChromium := pipeOf(t)
	c := Open(fromChromium, toChromium, slog.New(slog.DiscardHandler), func(*Event) {}, func(ScreencastFrame) {})
	methods := make(chan string, len(answers))
	go func() {
		for in := bufio.NewReader(fromUs); len(answers) > 0; answers = answers[1:] {
			message, err := in.ReadBytes(0)
			if err != nil {
				return
			}
			var command struct {
				ID     int    `json:"id"`
				Method string `json:"method"`
			}
			if json.Unmarshal(message[:len(message)-1], &command) != nil {
				return
			}
			methods <- command.Method
			fmt.Fprintf(toUs, "{\"id\":%d,%s}\x00", command.ID, answers[0])
		}
	}()
	return c, methods
}

func pipeOf(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.Close()
		_ = w.Close()
	})
	return r, w
}

// reload reloads the page of a session.
func reload(t *testing.T, c *Conn) error {
	t.Helper()
	return c.Do(t.Context(), c.Alive, "S", waittest.Scale(time.Minute), "reloading", func(client proto.Client) error {
		return CallNoResult(client, proto.PageReload{})
	})
}

// TestCall_BetweenTwoDocuments_IsRepeated: a user who reloads the page in the moment when another document replaces it
// sees it reloaded.
func TestCall_BetweenTwoDocuments_IsRepeated(t *testing.T) {
	refusal := `"error":{"code":-32000,"message":"Not attached to an active page"}`
	c, methods := fakeChromium(t, refusal, refusal, `"result":{}`)
	if err := reload(t, c); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := <-methods; got != "Page.reload" {
			t.Errorf("sent %s", got)
		}
	}
}

func TestCall_OtherRefusal_IsReported(t *testing.T) {
	c, methods := fakeChromium(t, `"error":{"code":-32000,"message":"Not attached to a page"}`, `"result":{}`)
	err := reload(t, c)
	if err == nil || err.Error() != `reloading: chromium says "Not attached to a page"` {
		t.Errorf("error %v", err)
	}
	if len(methods) != 1 {
		t.Errorf("%d commands were sent", len(methods))
	}
}
