package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/agent/tools/textfile"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/ignore"
	"goalpost/backend/lib/text"
)

// Limits of a search.
const (
	maxMatches    = 100    // shown at once
	maxCounted    = 10_000 // counted at all
	maxSearched   = 50_000 // files
	maxMatchLine  = 300    // shown bytes of a line
	maxSearchFile = 4 << 20
	maxContext    = 10
)

var ignoreFiles = []string{".git/info/exclude", ".gitignore", ".ignore", ".rgignore"}

type searchFilesArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path,omitempty"`
	Glob       string `json:"glob,omitempty"`
	Literal    bool   `json:"literal,omitempty"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Context    int    `json:"context,omitempty"`
	FilesOnly  bool   `json:"files_only,omitempty"`
	All        bool   `json:"all,omitempty"`
	Skip       int    `json:"skip,omitempty"`
}

func searchFiles(r Deps) (Tool, error) {
	return defineTool("search_files", func(_ context.Context, a searchFilesArgs) (policy.Effect, error) {
		if _, err := r.folder.newSearch(a); err != nil {
			return policy.Effect{}, err
		}
		return viewEffect()
	}, r.folder.doSearchFiles)
}

func (f folder) doSearchFiles(ctx context.Context, a searchFilesArgs) goal.Result {
	s, err := f.newSearch(a)
	if err == nil {
		err = s.run(ctx)
	}
	if err != nil {
		return failedResult("%s", err)
	}
	return s.result()
}

// search is one search in progress.
type search struct {
	searchFilesArgs
	folder
	from  string // slash-separated
	line  *regexp.Regexp
	glob  *ignore.Glob
	rules ignore.Rules

	files, matches, listedMatches int
	partial                       string // why not all files were searched
	large                         int    // number of files that were too large
	largest                       []string
	out                           strings.Builder
}

func (f folder) newSearch(a searchFilesArgs) (*search, error) {
	s := &search{searchFilesArgs: a, folder: f, rules: ignore.Rules{}}
	if a.Pattern == "" || len(a.Pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern has %d characters; give 1 to %d", len(a.Pattern), maxPattern)
	}
	expr := a.Pattern
	if a.Literal {
		expr = regexp.QuoteMeta(expr)
	}
	if a.IgnoreCase {
		expr = "(?i)" + expr
	}
	var err error
	if s.line, err = regexp.Compile(expr); err != nil {
		return nil, fmt.Errorf("the pattern cannot be parsed (RE2; set literal for plain text): %w", err)
	}
	if a.Context < 0 || a.Context > maxContext || a.Skip < 0 {
		return nil, fmt.Errorf("context must be 0 to %d, and skip 0 or more", maxContext)
	}
	if a.Glob != "" {
		g, err := ignore.New(a.Glob)
		if err != nil {
			return nil, err
		}
		s.glob = &g
	}
	if a.Path == "" {
		a.Path = "."
	}
	rel, err := f.relPath(a.Path)
	if err == nil {
		err = f.refuseHiddenPath(rel)
	}
	s.from = filepath.ToSlash(rel)
	return s, err
}

var errEnough = errors.New("enough was found")

// run walks the folder in the order of names. It follows no symlink.
func (s *search) run(ctx context.Context) error {
	// The ignore rules of parent folders apply, too.
	for up := path.Dir(s.from); s.from != "." && !s.All; up = path.Dir(up) {
		s.addIgnoreRules(up)
		if up == "." {
			break
		}
	}
	err := fs.WalkDir(s.root.FS(), s.from, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("searching: %w", ctx.Err())
		case err != nil && name == s.from:
			return text.StripPathError(err)
		case err != nil:
			return nil // removed or unreadable; the others are still searched
		case s.isHidden(name) && d.IsDir():
			return fs.SkipDir
		case name != s.from && s.isIgnored(name, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			s.addIgnoreRules(name)
			return nil
		case !d.Type().IsRegular() || s.glob != nil && !s.glob.Match(name):
			return nil
		}
		return s.searchFile(name)
	})
	if err == nil || errors.Is(err, errEnough) {
		return nil
	}
	return fmt.Errorf("searching: %w", err)
}

// isIgnored reports whether a file or folder is skipped.
func (s *search) isIgnored(name string, isFolder bool) bool {
	base := path.Base(name)
	if s.All {
		return isFolder && base == ".git"
	}
	if isFolder && base == ".git" || s.rules.Ignored(name, isFolder) {
		return true
	}
	return strings.HasPrefix(base, ".") && !namesHiddenFile(s.Glob)
}

// namesHiddenFile reports whether a glob asks for hidden files: .github/workflows/*.yml, **/.env.
func namesHiddenFile(glob string) bool {
	return slices.ContainsFunc(strings.Split(glob, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
}

// addIgnoreRules reads the ignore rules in a folder.
func (s *search) addIgnoreRules(dir string) {
	if s.All {
		return
	}
	at := dir
	if dir == "." {
		at = ""
	}
	// Later rules win, so the rules of this clone are the weakest and those for search tools the strongest.
	for _, name := range ignoreFiles {
		if b, err := s.read(path.Join(dir, name)); err == nil {
			s.rules[at] = append(s.rules[at], ignore.ParseRules(ignore.Lines(b))...)
		}
	}
}

func (s *search) searchFile(name string) error {
	if s.files++; s.files > maxSearched {
		s.partial = fmt.Sprintf("only the first %d files were searched", maxSearched)
		return errEnough
	}
	b, err := s.read(name)
	if err != nil {
		return nil //nolint:nilerr // removed
	}
	if len(b) > maxSearchFile {
		if bytes.IndexByte(b[:8000], 0) >= 0 { // binary
			return nil
		}
		if s.large++; len(s.largest) < 3 {
			s.largest = append(s.largest, printableName(name))
		}
		return nil
	}
	file, err := textfile.Parse(b)
	if err != nil {
		return nil //nolint:nilerr // binary; skipped, as by ripgrep
	}
	if !s.line.MatchString(file.Text) && !strings.ContainsAny(s.Pattern, "^$\\(") { // most files have no match
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(file.Text, "\n"), "\n")
	var hits []int
	for i, l := range lines {
		if s.line.MatchString(l) {
			hits = append(hits, i)
		}
	}
	s.showMatches(name, lines, hits)
	if s.matches >= maxCounted {
		s.partial = fmt.Sprintf("it stopped after %d matches", maxCounted)
		return errEnough
	}
	return nil
}

// showMatches writes the matches of a file that belong to this page of the result.
func (s *search) showMatches(name string, lines []string, hits []int) {
	if len(hits) == 0 {
		return
	}
	if s.FilesOnly {
		if s.matches++; s.matches > s.Skip && s.listedMatches < maxMatches {
			s.listedMatches++
			fmt.Fprintf(&s.out, "%s: %d\n", printableName(name), len(hits))
		}
		return
	}
	last, hasHeading := -1, false
	for _, at := range hits {
		if s.matches++; s.matches <= s.Skip || s.listedMatches >= maxMatches {
			continue
		}
		s.listedMatches++
		if !hasHeading {
			s.out.WriteString(printableName(name) + "\n")
			hasHeading = true
		}
		from := max(at-s.Context, last+1)
		if last >= 0 && from > last+1 {
			s.out.WriteString("  …\n")
		}
		for i := from; i <= min(at+s.Context, len(lines)-1); i++ {
			mark := ":"
			if i != at && !s.line.MatchString(lines[i]) {
				mark = "-"
			}
			fmt.Fprintf(&s.out, "  %d%s %s\n", i+1, mark, text.TruncateBytes(lines[i], maxMatchLine))
			last = i
		}
	}
}

func (s *search) result() goal.Result {
	what := "matching lines"
	if s.FilesOnly {
		what = "files"
	}
	note := fmt.Sprintf("%d %s", s.matches, what)
	switch {
	case s.matches == 0:
		note = fmt.Sprintf("nothing matches in %d files", s.files)
		if !s.All {
			note += "; hidden and ignored files, and folders such as node_modules, were skipped (all searches them, too)"
		}
	case s.listedMatches == 0:
		note += fmt.Sprintf(", none after the first %d", s.Skip)
	case s.Skip > 0 && s.Skip+s.listedMatches == s.matches:
		note += fmt.Sprintf(", %d to %d shown, the last", s.Skip+1, s.matches)
	case s.Skip+s.listedMatches < s.matches:
		end := s.Skip + s.listedMatches
		note += fmt.Sprintf(", %d to %d shown; set skip to %d for the next", s.Skip+1, end, end)
	}
	if s.partial != "" {
		note += "; " + s.partial
	}
	if s.large > 0 {
		note += fmt.Sprintf("; files of more than %d MB were not searched: %d, such as %s (run_command with grep does)",
			maxSearchFile>>20, s.large, strings.Join(s.largest, ", "))
	}
	if s.listedMatches == 0 {
		return okResult("%s.", note)
	}
	r := okResult("%s\n%s", note, wrapOutside("the files", s.out.String()))
	r.Budget = 2 * defaultResultBytes
	return r
}
