package models

import "testing"

// TestCompleteAddress_AsTyped_IsUnderstood: everyone types localhost:11434.
func TestCompleteAddress_AsTyped_IsUnderstood(t *testing.T) {
	for typed, want := range map[string]string{
		"localhost:11434":     "http://localhost:11434",
		" 127.0.0.1:9102/ ":   "http://127.0.0.1:9102",
		":8000":               "http://127.0.0.1:8000",
		"11434":               "http://127.0.0.1:11434",
		"[::1]:8000":          "http://[::1]:8000",
		"192.168.1.7:8000/v1": "http://192.168.1.7:8000/v1",
		"gpu:8000":            "http://gpu:8000",
		"gpu.lan":             "http://gpu.lan",
		"api.example.org/v1":  "https://api.example.org/v1",
		"http://localhost:11434/v1/chat/completions": "http://localhost:11434/v1",
		"https://api.example.org/v1/models":          "https://api.example.org/v1",
		"":                                           "",
	} {
		if got := completeAddress(typed); got != want {
			t.Errorf("%q becomes %q, want %q", typed, got, want)
		}
	}
}
