package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestOpen_ShowsOnlyGoals(t *testing.T) {
	const id = "01m846vf8frnsxtyw4a7ncd3m7"
	for address, want := range map[string]string{
		"goalpost://goal/" + id:                         id,
		"goalpost://goal/" + id + "/":                   id,
		"goalpost://goal/a7ncd3m7":                      "a7ncd3m7",
		"goalpost://goal/":                              "",
		"goalpost://goal/short":                         "",
		"goalpost://goal/" + id + "0":                   "",
		"goalpost://goal/" + id + "?abort=1":            "",
		"goalpost://goal/" + id + "#x":                  "",
		"goalpost://goal/" + id + "\n--help":            "",
		"goalpost://goal/../../etc/passwd":              "",
		"goalpost://goal/%2e%2e%2f" + id:                "",
		"goalpost://user:pass@goal/" + id:               "",
		"goalpost://run/" + id:                          "",
		"goalpost:goal/" + id:                           "",
		"https://goal/" + id:                            "",
		"file:///" + id:                                 "",
		"--version":                                     "",
		"\x1b]0;owned\x07" + "goalpost://goal/" + id:    "",
		"goalpost://goal/" + strings.Repeat("a", 1<<16): "",
	} {
		var opened []string
		var stderr bytes.Buffer
		p := Program{
			Name: "goalpost", Getenv: os.Getenv, Stdout: &stderr, Stderr: &stderr,
			Window: func(goalID string) int {
				opened = append(opened, goalID)
				return 0
			},
		}
		code := p.Run(t.Context(), []string{"open", "--", address})
		switch got := strings.Join(opened, ","); {
		case got != want:
			t.Errorf("%.80q opened %q, want %q", address, got, want)
		case want == "" && (code != exitUsage || !strings.Contains(stderr.String(), "is not the address of a goal")):
			t.Errorf("%.80q: exit %d and %q", address, code, stderr.String())
		case len(stderr.String()) > 400 || strings.Contains(stderr.String(), "\x1b"):
			t.Errorf("%.80q: the message is %q", address, stderr.String())
		}
	}
}
