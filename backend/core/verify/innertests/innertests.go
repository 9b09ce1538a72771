// Package innertests finds tests of Rust that stand in a file of the work itself, in a module of their own. Such a file
// changes with the work, and its tests must not change with it.
package innertests

import (
	"regexp"
	"slices"
	"strings"
)

// Find returns those modules in a file's text that declare one of the named tests, in their order, each with the
// comments and attributes above it.
func Find(content string, tests []string) (modules []string) {
	if declares := declaration(tests); declares != nil {
		for _, b := range split(content) {
			if declares(b) {
				modules = append(modules, b)
			}
		}
	}
	return modules
}

// Replace returns a file's text with other modules in the place of those that declare one of the named tests, or that
// have the same name.
func Replace(content string, tests, modules []string) string {
	declares := declaration(tests)
	if declares == nil {
		return content
	}
	var heads, kept []string
	for _, b := range modules {
		heads = append(heads, head(b))
	}
	for _, b := range split(content) {
		if !declares(b) && !slices.Contains(heads, head(b)) {
			kept = append(kept, b)
		}
	}
	return strings.Join(append(kept, modules...), "")
}

// declaration returns a function that reports whether a block is a module that declares one of the tests, nil if there
// are no tests of modules. Cargo calls them file::module::test.
func declaration(tests []string) func(block string) bool {
	var modules, names []string
	for _, t := range tests {
		if parts := strings.Split(t, "::"); len(parts) > 1 {
			modules = append(modules, regexp.QuoteMeta(parts[len(parts)-2]))
			names = append(names, regexp.QuoteMeta(parts[len(parts)-1]))
		}
	}
	if len(names) == 0 {
		return nil
	}
	module := regexp.MustCompile(`^(?:pub\S* )?mod (?:` + strings.Join(modules, "|") + `)\b`)
	name := regexp.MustCompile(`(?m)^.*\bfn (?:` + strings.Join(names, "|") + `)\b`)
	return func(block string) bool { return module.MatchString(head(block)) && name.MatchString(block) }
}

// head returns the first line of a block that is neither empty, a comment nor an attribute.
func head(block string) string {
	for line := range strings.Lines(block) {
		if strings.TrimSpace(line) != "" && !isPrefix(line) {
			return line
		}
	}
	return ""
}

// split cuts a text into blocks, which together are the text. A block is a line without indentation, with the comments
// and attributes above it, up to the next one.
func split(content string) (blocks []string) {
	var b strings.Builder
	hasHead := false
	for line := range strings.Lines(content) {
		begins := strings.TrimSpace(line) != "" && !strings.ContainsAny(line[:1], " \t})]")
		if begins && hasHead {
			blocks = append(blocks, b.String())
			b.Reset()
			hasHead = false
		}
		hasHead = hasHead || begins && !isPrefix(line)
		b.WriteString(line)
	}
	return append(blocks, b.String())
}

// isPrefix reports whether a line without indentation belongs to the block that follows.
func isPrefix(line string) bool {
	return strings.HasPrefix(line, "#[") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "@")
}
