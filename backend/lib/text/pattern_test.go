package text

import (
	"regexp"
	"slices"
	"testing"
)

// TestPattern_EachMethod_AnswersLikeARegexp also shows that a pattern is compiled once.
func TestPattern_EachMethod_AnswersLikeARegexp(t *testing.T) {
	const expr, s = `([a-z])(\d)`, "a1 b2 c"
	p, r := NewPattern(expr), regexp.MustCompile(expr)
	if first, second := p.Regexp(), p.Regexp(); first != second || first.String() != expr {
		t.Errorf("%v and %v", first, second)
	}
	upper := func(s string) string { return "<" + s + ">" }
	for name, isSame := range map[string]bool{
		"Match":                p.Match([]byte(s)) == r.MatchString(s) && !p.Match([]byte("c")),
		"MatchString":          p.MatchString(s) && !p.MatchString("c"),
		"FindString":           p.FindString(s) == "a1",
		"FindStringIndex":      slices.Equal(p.FindStringIndex(s), r.FindStringIndex(s)),
		"FindStringSubmatch":   slices.Equal(p.FindStringSubmatch(s), []string{"a1", "a", "1"}),
		"FindSubmatch":         string(p.FindSubmatch([]byte(s))[2]) == "1",
		"FindAllString":        slices.Equal(p.FindAllString(s, -1), []string{"a1", "b2"}),
		"ReplaceAllString":     p.ReplaceAllString(s, "$2") == "1 2 c",
		"ReplaceAllStringFunc": p.ReplaceAllStringFunc(s, upper) == "<a1> <b2> c",
		"FindAllStringSubmatch": slices.EqualFunc(p.FindAllStringSubmatch(s, -1), r.FindAllStringSubmatch(s, -1),
			slices.Equal),
	} {
		if !isSame {
			t.Errorf("%s differs", name)
		}
	}
}

func TestNewPattern_WrongExpressionInATest_PanicsAtOnce(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewPattern("(")
}
