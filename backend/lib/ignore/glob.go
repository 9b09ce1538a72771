// Package ignore decides which files of a folder do not count: the patterns of .gitignore files, and the folders that
// programs fill automatically. It is pure.
package ignore

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Glob is a pattern over slash-separated paths, as in .gitignore: *, ? and [a-z] stay within a name, ** spans
// folders, a pattern without a slash names a file at any depth, and one that names a folder means everything in it.
type Glob struct {
	match  *regexp.Regexp
	tail   string // literal suffix of every matching path: it rules out most names cheaply
	folder bool   // matches folders only
}

// New parses a pattern.
func New(pattern string) (Glob, error) {
	p := strings.TrimPrefix(pattern, "./")
	g := Glob{folder: strings.HasSuffix(p, "/")}
	p = strings.TrimSuffix(p, "/")
	isAnyDepth := !strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	if p == "" {
		return g, fmt.Errorf("the pattern %q is empty", pattern)
	}
	var b strings.Builder
	b.WriteString("(?s)^")
	if isAnyDepth {
		b.WriteString("(?:.*/)?")
	}
	for i := 0; i < len(p); i++ {
		i += translateRune(&b, p, i)
	}
	b.WriteString("$")
	g.tail = literalSuffix(p)
	var err error
	if g.match, err = regexp.Compile(b.String()); err != nil {
		return g, fmt.Errorf("the pattern %q cannot be read: %w", pattern, err)
	}
	return g, nil
}

// translateRune writes the regular expression for the pattern at i, and returns how many bytes beyond the first it
// consumed.
func translateRune(b *strings.Builder, p string, i int) int {
	rest := p[i:]
	switch {
	case strings.HasPrefix(rest, "**/") && (i == 0 || p[i-1] == '/'):
		b.WriteString("(?:.*/)?")
		return 2
	case rest == "**" && (i == 0 || p[i-1] == '/'):
		b.WriteString(".*")
		return 1
	case rest[0] == '*':
		b.WriteString("[^/]*")
	case rest[0] == '?':
		b.WriteString("[^/]")
	case rest[0] == '[':
		if end := strings.IndexByte(rest[1:], ']'); end > 0 {
			class := rest[1 : end+1]
			if class[0] == '!' {
				class = "^" + class[1:]
			}
			b.WriteString("[" + strings.NewReplacer(`\`, `\\`, "[", `\[`).Replace(class) + "]")
			return end + 1
		}
		b.WriteString(`\[`)
	case rest[0] == '\\' && len(rest) > 1:
		b.WriteString(regexp.QuoteMeta(rest[1:2]))
		return 1
	default:
		b.WriteString(regexp.QuoteMeta(rest[:1]))
	}
	return 0
}

// literalSuffix returns the end of a pattern in which every character matches only itself.
func literalSuffix(p string) string {
	if strings.ContainsRune(p, utf8.RuneError) { // a regular expression lets it match any byte that is not valid UTF-8
		return ""
	}
	p = p[strings.LastIndexAny(p, `*?[]\`)+1:]
	return strings.TrimPrefix(p, "/") // **/a means a, too
}

// Match reports whether the pattern matches path itself.
func (g Glob) Match(path string) bool {
	return strings.HasSuffix(path, g.tail) && g.match.MatchString(path)
}

// MatchesAncestor reports whether the pattern matches path, or a folder above it.
func (g Glob) MatchesAncestor(path string, isFolder bool) bool {
	if g.Match(path) && (isFolder || !g.folder) {
		return true
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' && g.Match(path[:i]) {
			return true
		}
	}
	return false
}

// Globs match if one of them does.
type Globs []Glob

// NewGlobs parses several patterns.
func NewGlobs(patterns []string) (Globs, error) {
	list := make(Globs, 0, len(patterns))
	for _, p := range patterns {
		g, err := New(p)
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return list, nil
}

// MatchesAncestor reports whether one of the patterns matches path, or a folder above it.
func (gl Globs) MatchesAncestor(path string) bool {
	for _, g := range gl {
		if g.MatchesAncestor(path, false) {
			return true
		}
	}
	return false
}
