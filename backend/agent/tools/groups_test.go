package tools

import "testing"

func TestGroups_EveryName_IsATool(t *testing.T) {
	specs, err := Specs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, s := range specs {
		all[s.Name] = true
	}
	for group, names := range groups {
		for _, name := range names {
			if !all[name] {
				t.Errorf("the group %q names %s, which is not a tool", group, name)
			}
		}
	}
}
