package editor

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestOwedAnswers_InputEnds_AnswersComeFirst: a prompt is not waited for.
func TestOwedAnswers_InputEnds_AnswersComeFirst(t *testing.T) {
	var written bytes.Buffer
	o := newOwedAnswers(strings.NewReader(`{"id":1,"method":"initialize"}
{"id":"p","method":"session/prompt"}
{"method":"session/cancel"}
{"id":7,"result":{}}
`), &written)
	input := make([]byte, 4096)
	if n, err := o.Read(input); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	ended := make(chan error)
	go func() {
		_, err := o.Read(input)
		ended <- err
	}()
	for _, message := range []string{`{"method":"session/update"}`, `{"id":1,"method":"fs/read_text_file"}`} {
		if _, err := o.Write([]byte(message + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-ended:
		t.Fatal("the input ended before the answer:", err)
	default:
	}
	if _, err := o.Write([]byte(`{"id":1,"result":{}}` + "\n")); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if strings.Count(written.String(), "\n") != 3 {
		t.Errorf("%q", written.String())
	}
}
