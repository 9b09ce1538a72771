package cdp

import "testing"

func TestParseFrame_ScreencastEvent_IsRead(t *testing.T) {
	for _, message := range []string{
		`{"method":"Page.screencastFrame","params":{"data":"aGFsbG8=",` +
			`"metadata":{"deviceWidth":80.2,"deviceHeight":60},"sessionId":7},"sessionId":"S"}`,
		`{"method":"Page.screencastFrame","sessionId":"S",` +
			`"params":{"metadata":{"deviceHeight":60,"deviceWidth":80},"sessionId":7,"data":"aGFsbG8="}}`,
	} {
		f, ok := parseFrame([]byte(message))
		if !ok || string(f.JPEG) != "hallo" || f.Session != "S" || f.ScreencastID != 7 || f.Width != 80 || f.Height != 60 {
			t.Errorf("frame %+v %v", f, ok)
		}
	}
	for _, message := range []string{
		`{"method":"Page.screencastFrame"`, `{"method":"Page.screencastFrame","params":{"data":"aGFs`,
		`{"method":"Page.screencastFrame","params":{"data":"?!"}}`, `{"method":"Page.screencastFrame","params":{"data":""]`,
	} {
		if f, ok := parseFrame([]byte(message)); ok {
			t.Errorf("%s gave %+v", message, f)
		}
	}
}

func BenchmarkParseFrame(b *testing.B) {
	message := []byte(`{"method":"Page.screencastFrame","params":{"data":"`)
	for range 60000 {
		message = append(message, "AAAA"...)
	}
	message = append(message, `","metadata":{"deviceWidth":80,"deviceHeight":60},"sessionId":7},"sessionId":"S"}`...)
	b.SetBytes(int64(len(message)))
	copied := make([]byte, len(message))
	for b.Loop() {
		copy(copied, message)
		if _, ok := parseFrame(copied); !ok {
			b.Fatal("no frame")
		}
	}
}
