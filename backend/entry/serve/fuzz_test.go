package serve_test

import (
	"context"
	"encoding/json"
	"testing"

	"goalpost/backend/entry/serve"
)

func FuzzArguments(f *testing.F) {
	r, err := serve.NewRegistry(&CalcAPI{})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`[{"a":1,"b":2}]`, `[["a"],"-"]`, `[]`, `[null]`, `[{"a":1e400}]`, `[[],null]`,
		`[7,8,9]`, `null`,
	} {
		f.Add("CalcAPI.Add", seed)
		f.Add("CalcAPI.Join", seed)
		f.Add("CalcAPI.", seed)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		var args []json.RawMessage
		if json.Unmarshal([]byte(text), &args) != nil || name == "CalcAPI.Wait" || name == "CalcAPI.Break" {
			return
		}
		if _, err := r.Call(context.Background(), name, args); err == nil {
			known := false
			for _, n := range r.Names() {
				known = known || n == name
			}
			if !known {
				t.Fatalf("%q was called", name)
			}
		}
	})
}
