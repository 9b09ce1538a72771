package stream_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"testing"

	"github.com/coder/websocket"

	"goalpost/backend/domain/pane"
)

func frame(n uint32) update {
	return update{frame: &pane.Frame{N: n, Width: 1024, Height: 768, JPEG: []byte{0xff, 0xd8, byte(n)}}}
}

func TestBrowser_UnsentFrames_AreReplaced(t *testing.T) {
	w := open(t, nil)
	b := newBrowser()
	w.browsers["b1"] = b
	ws := w.dial(t, "/v1/browser/b1")
	b.updates <- frame(1)
	kind, data := read(t, ws)
	if kind != websocket.MessageBinary || binary.BigEndian.Uint32(data) != 1 ||
		binary.BigEndian.Uint16(data[4:]) != 1024 || binary.BigEndian.Uint16(data[6:]) != 768 || data[10] != 1 {
		t.Fatalf("first % x", data)
	}
	for n := uint32(2); n <= 10; n++ {
		b.updates <- frame(n)
	}
	for n := uint32(2); n <= 9; n++ { // replaced, never sent
		if got := <-b.acks; got != n {
			t.Fatalf("dropped %d, want %d", got, n)
		}
	}
	send(t, ws, `{"t":"ack","n":7}`) // this frame was never sent, so the acknowledgement is ignored
	send(t, ws, `{"t":"ack","n":1}`)
	if got := <-b.acks; got != 1 {
		t.Errorf("acknowledged %d", got)
	}
	if _, data := read(t, ws); binary.BigEndian.Uint32(data) != 10 {
		t.Errorf("after the acknowledgement came frame %d", binary.BigEndian.Uint32(data))
	}
}

// TestBrowser_PageVisibleAgain_GetsAFrame: a page that was hidden may never have drawn the frame that was sent to it.
// It gets the next frame without an acknowledgement.
func TestBrowser_PageVisibleAgain_GetsAFrame(t *testing.T) {
	w := open(t, nil)
	b := newBrowser()
	w.browsers["b1"] = b
	ws := w.dial(t, "/v1/browser/b1")
	b.updates <- frame(1)
	read(t, ws)
	send(t, ws, `{"t":"visible","on":false}`)
	b.updates <- frame(2)
	send(t, ws, `{"t":"visible","on":true}`)
	if _, data := read(t, ws); binary.BigEndian.Uint32(data) != 2 {
		t.Errorf("frame %d", binary.BigEndian.Uint32(data))
	}
}

func TestBrowser_UnacknowledgedFrame_DoesNotDelayInfo(t *testing.T) {
	w := open(t, nil)
	b := newBrowser()
	w.browsers["b1"] = b
	ws := w.dial(t, "/v1/browser/b1")
	b.updates <- frame(1)
	read(t, ws)
	b.updates <- update{info: &pane.Info{ID: "b1", URL: "http://127.0.0.1/<script>"}}
	var m struct {
		T    string
		Pane pane.Info
	}
	if err := json.Unmarshal([]byte(readText(t, ws)), &m); err != nil || m.T != "info" ||
		m.Pane.URL != "http://127.0.0.1/<script>" {
		t.Errorf("info %+v, %v", m, err)
	}
}

func TestBrowser_Inputs_KeepTheirOrder(t *testing.T) {
	w := open(t, nil)
	b := newBrowser()
	b.hold = make(chan struct{})
	w.browsers["b1"] = b
	ws := w.dial(t, "/v1/browser/b1")
	for _, m := range []string{
		`{"t":"input","i":{"kind":"keydown","key":"a","modifiers":2}}`,
		`{"t":"input","i":{"kind":"move","x":1,"y":1}}`, `{"t":"input","i":{"kind":"move","x":2,"y":2}}`,
		`{"t":"input","i":{"kind":"move","x":3.5,"y":3}}`,
		`{"t":"input","i":{"kind":"down","button":"left"}}`,
		`{"t":"size","w":390,"h":700,"looks":true}`, `{"t":"size","w":801,"h":601}`, `{"t":"size","w":0,"h":0}`,
		`{"t":"keyboard"}`,
		`{"t":"input","i":{"kind":"text","text":"é漢"}}`,
		`{"t":"visible","on":false}`,
	} {
		send(t, ws, m)
	}
	if on := <-b.visible; on { // everything before it has been received
		t.Error("visible")
	}
	close(b.hold)
	var kinds []pane.InputKind
	var last pane.Input
	for last.Kind != pane.Text {
		last = <-b.inputs
		kinds = append(kinds, last.Kind)
		if last.Kind == pane.MouseMove && last.X != 3.5 {
			t.Errorf("the move went to %v", last.X)
		}
	}
	if len(kinds) != 4 || kinds[0] != pane.KeyDown || kinds[1] != pane.MouseMove || kinds[2] != pane.MouseDown ||
		last.Text != "é漢" {
		t.Errorf("inputs %v, last %+v", kinds, last)
	}
	if size, keyboard := <-b.sizes, <-b.sizes; size != [2]int{801, 601} || keyboard != [2]int{} {
		t.Errorf("size %v, then %v", size, keyboard)
	}
}

func TestProblems_AreReported(t *testing.T) {
	w := open(t, nil)
	b := newBrowser()
	b.fail = errors.New("the page has crashed")
	w.browsers["b1"] = b
	ws := w.dial(t, "/v1/browser/b1")
	send(t, ws, `{"t":"input","i":{"kind":"down"}}`)
	if got := readText(t, ws); got != `{"t":"problem","text":"the page has crashed"}` {
		t.Errorf("got %s", got)
	}
	send(t, ws, `{"t":"input","i":{"kind":"explode"}}`)
	if got := readText(t, ws); got != `{"t":"problem","text":"unknown kind of input"}` {
		t.Errorf("got %s", got)
	}
	b.hold = make(chan struct{}) // from here on every input blocks
	for range 1100 {
		send(t, ws, `{"t":"input","i":{"kind":"keydown"}}`)
	}
	if got := readText(t, ws); got != `{"t":"problem","text":"the page does not answer: input was dropped"}` {
		t.Errorf("got %s", got)
	}
}
