package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/coder/websocket"

	"goalpost/backend/panes/stream"
)

// files has the viewer of each pane.
type files map[string]fileViewer

func (f files) Attach(id string) (stream.FileViewer, error) {
	v, ok := f[id]
	if !ok {
		return nil, errors.New("there is no file " + id)
	}
	return v, nil
}

// fileViewer returns the contents that a test sends.
type fileViewer chan stream.FileContent

func (f fileViewer) Next(ctx context.Context) (stream.FileContent, error) {
	select {
	case c := <-f:
		return c, nil
	case <-ctx.Done():
		return stream.FileContent{}, ctx.Err()
	}
}

func (fileViewer) Close() {}

func TestFile_Contents_ArriveInChunks(t *testing.T) {
	v := make(fileViewer, 2)
	w := open(t, func(o *stream.Options) { o.Files = files{"f1": v} })
	ws := w.dial(t, "/v1/file/f1")
	long := bytes.Repeat([]byte("0123456789abcde\n"), 200_000) // 3.2 MB
	v <- stream.FileContent{Text: long, Version: "v1", IsReadOnly: true}
	v <- stream.FileContent{Version: "v2", Problem: "it is gone"}
	want := fmt.Sprintf(`{"t":"file","version":"v1","size":%d,"read_only":true}`, len(long))
	if _, got := read(t, ws); string(got) != want {
		t.Errorf("announced %s", got)
	}
	var all []byte
	for len(all) < len(long) {
		kind, chunk := read(t, ws)
		if kind != websocket.MessageBinary || len(chunk) > 1<<20 {
			t.Fatalf("%v of %d bytes", kind, len(chunk))
		}
		all = append(all, chunk...)
	}
	if !bytes.Equal(all, long) {
		t.Error("the file arrived changed")
	}
	if _, got := read(t, ws); string(got) != `{"t":"file","version":"v2","size":0,"problem":"it is gone"}` {
		t.Errorf("announced %s", got)
	}
}
