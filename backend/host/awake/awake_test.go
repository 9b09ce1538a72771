package awake

import (
	"testing"
	"testing/fstest"
)

func TestIsPluggedIn_Supplies_DecidesAsSystemd(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text + "\n")} }
	full := fstest.MapFS{"BAT0/type": file("Battery"), "BAT0/status": file("Discharging")}
	add := func(more fstest.MapFS) fstest.MapFS {
		for name, f := range full {
			more[name] = f
		}
		return more
	}
	for name, c := range map[string]struct {
		supplies fstest.MapFS
		want     bool
	}{
		"a desktop":       {fstest.MapFS{}, true},
		"a battery":       {full, false},
		"the charger out": {add(fstest.MapFS{"AC/type": file("Mains"), "AC/online": file("0")}), false},
		"the charger in":  {add(fstest.MapFS{"AC/type": file("Mains"), "AC/online": file("1")}), true},
		"USB-C":           {add(fstest.MapFS{"ucsi/type": file("USB"), "ucsi/online": file("1")}), true},
		"a mouse": {fstest.MapFS{
			"m/type": file("Battery"), "m/scope": file("Device"), "m/status": file("Discharging"),
		}, true},
		"a battery fills":  {fstest.MapFS{"BAT0/type": file("Battery"), "BAT0/status": file("Charging")}, true},
		"a battery is off": {fstest.MapFS{"BAT0/type": file("Battery"), "BAT0/status": file("Not charging")}, true},
	} {
		if got := isPluggedIn(c.supplies); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
