package text

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Pattern is a regular expression that is compiled when it is used first: compiling all of them would take most of the
// time of a start. It may be used concurrently.
type Pattern struct {
	compile func() *regexp.Regexp
}

// NewPattern returns a pattern. A wrong expression panics when it is used first, and in tests at once, so that every
// pattern of a package is compiled by its tests.
func NewPattern(expr string) *Pattern {
	p := &Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
	if isTesting {
		p.compile()
	}
	return p
}

// isTesting is false in a test program that a test has started in the place of another one: it should start as fast.
var isTesting = strings.HasSuffix(os.Args[0], ".test") && len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-test.")

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compile() }

// The methods are those of regexp.Regexp.

func (p *Pattern) MatchString(s string) bool { return p.compile().MatchString(s) }

func (p *Pattern) FindString(s string) string { return p.compile().FindString(s) }

func (p *Pattern) FindStringIndex(s string) []int { return p.compile().FindStringIndex(s) }

func (p *Pattern) FindStringSubmatch(s string) []string { return p.compile().FindStringSubmatch(s) }

func (p *Pattern) FindAllString(s string, n int) []string { return p.compile().FindAllString(s, n) }

func (p *Pattern) ReplaceAllString(s, by string) string { return p.compile().ReplaceAllString(s, by) }

func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.compile().ReplaceAllStringFunc(s, by)
}

func (p *Pattern) Match(b []byte) bool { return p.compile().Match(b) }

func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compile().FindAllStringSubmatch(s, n)
}

func (p *Pattern) FindSubmatch(b []byte) [][]byte { return p.compile().FindSubmatch(b) }
