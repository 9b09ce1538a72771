package cli

import (
	"testing"
	"time"

	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/storage/config"
)

// TestIdleTime_Setting_AppliesAtOnce also checks that a time on the command line overrides it.
func TestIdleTime_Setting_AppliesAtOnce(t *testing.T) {
	home := t.TempDir()
	cfg, err := config.Open(func(name string) string { return map[string]string{config.HomeVariable: home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cfg.Close(); err != nil {
			t.Error(err)
		}
	})
	idle := idleTime(cfg, 0)
	if got := idle(); got != 10*time.Minute {
		t.Errorf("the default is %s", got)
	}
	for minutes, want := range map[int]time.Duration{25: 25 * time.Minute, 0: hostsocket.NoIdleEnd} {
		s := cfg.Settings()
		s.HostIdleMinutes = minutes
		if err := cfg.SaveSettings(s); err != nil {
			t.Fatal(err)
		}
		if got := idle(); got != want {
			t.Errorf("%d minutes: %s", minutes, got)
		}
	}
	if got := idleTime(cfg, 5*time.Second)(); got != 5*time.Second {
		t.Errorf("a given time: %s", got)
	}
}
