package innertests_test

import (
	"slices"
	"testing"

	"goalpost/backend/core/verify/innertests"
)

const atStart = `use std::fmt;

/// The answer.
pub fn answer() -> i32 { 0 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() { assert_eq!(answer(), 42); }
}
`

const now = `use std::fmt;

#[cfg(test)]
mod tests {
    #[test]
    fn answers() {}
    #[test]
    fn more() {}
}

#[inline]
pub fn answer() -> i32 {
    1
}
`

func TestReplace_TestsOfTheStart_StandBesideTheWorkOfNow(t *testing.T) {
	names := []string{"tests::answers", "tests::more"}
	tests := innertests.Find(atStart, names)
	if len(tests) != 1 || tests[0][:12] != "#[cfg(test)]" {
		t.Fatalf("the tests of the start are %q", tests)
	}
	if slices.Equal(tests, innertests.Find(now, names)) {
		t.Error("the emptied test counts as the same")
	}
	const want = "use std::fmt;\n\n#[inline]\npub fn answer() -> i32 {\n    1\n}\n" + `#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() { assert_eq!(answer(), 42); }
}
`
	if got := innertests.Replace(now, names, tests); got != want {
		t.Errorf("replaced:\n%s\nwant:\n%s", got, want)
	}
}

func TestFind_NoTestIsDeclared_FindsNothing(t *testing.T) {
	for name, tests := range map[string][]string{
		"a word of the code":  {"tests::use"},
		"a name of the work":  {"tests::answer"},
		"another module":      {"more::answers"},
		"no path of a module": {"answers"},
		"no tests":            nil,
	} {
		if got := innertests.Find(atStart, tests); got != nil {
			t.Errorf("%s: found %q", name, got)
		}
	}
}
