package environ_test

import (
	"slices"
	"testing"

	"goalpost/backend/host/sandbox/environ"
)

func TestBase_DangerousVariables_AreRemoved(t *testing.T) {
	got := environ.Base([]string{
		"HOME=/home/a", "LD_PRELOAD=evil.so", "WEBKIT_INSPECTOR_SERVER=127.0.0.1:1", "GOALPOST_TOKEN=secret",
		"TERM=dumb", "PATH=/bin", "PATH=/usr/bin", "nonsense",
	}, "HOME=/home/b", "EXTRA=a=b")
	slices.Sort(got)
	want := []string{
		"COLORTERM=truecolor", "EXTRA=a=b", "HOME=/home/b", "LANG=C.UTF-8", "PATH=/usr/bin",
		"TERM=xterm-256color",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, locale := range []string{"LANG=de_DE.UTF-8", "LC_ALL=C", "LC_CTYPE=C.UTF-8"} {
		if got := environ.Base([]string{locale}); slices.Contains(got, "LANG=C.UTF-8") {
			t.Errorf("%s: %q", locale, got)
		}
	}
	if got := environ.Base([]string{"LANG="}); !slices.Contains(got, "LANG=C.UTF-8") {
		t.Errorf("empty LANG: %q", got)
	}
}
