package ignore

import (
	"fmt"
	"testing"
)

// FuzzMatch checks that Match, which compares the literal end of a pattern first, agrees with the regular expression.
func FuzzMatch(f *testing.F) {
	for _, pattern := range []string{
		"*.py", "test_*.py", "conftest.py", "/a/b.c", "a/**/b", "**/b", "a/**", "**",
		"[a-z].c", "[!a]b", "a[", `\*`, `a\b`, "?", "*/", "./x", "é", "a\ufffd", "\ufffdb", "a]", "]b", "**b",
	} {
		for _, path := range []string{
			"a.py", "b/test_x.py", "conftest.py", "a/b.c", "a/b", "b", "ab", "q.c", "*", "x", "é",
			"a\xff", "\xffb", "a\ufffd", "a]", "a/x/y/b", "a\n.py", "",
		} {
			f.Add(pattern, path)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := New(pattern)
		if err != nil {
			t.Skip()
		}
		if got, want := g.Match(path), g.match.MatchString(path); got != want {
			t.Errorf("%q of %q is %t, and its expression says %t", pattern, path, got, want)
		}
	})
}

// BenchmarkMatch matches a name against twenty patterns, of which only the last one matches.
func BenchmarkMatch(b *testing.B) {
	var list Globs
	for i := range 20 {
		g, err := New(fmt.Sprintf("test_*.p%d", i))
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, g)
	}
	for b.Loop() {
		if !list[19].Match("some/folder/of/it/test_words.p19") ||
			list[:19].MatchesAncestor("some/folder/of/it/test_words.p19") {
			b.Fatal("the wrong answer")
		}
	}
}
