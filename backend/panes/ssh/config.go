package ssh

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxConfigSize  = 1 << 20
	maxConfigDepth = 16 // of Include, as in ssh
	maxConfigFiles = 200
	maxConfigHosts = 1000
)

// ConfigHosts lists the names of the Host lines in ~/.ssh/config of a home folder and in the files
// that it includes, in their order. Names with wildcards and negated ones are patterns, not hosts,
// and are left out. A missing configuration has no hosts. A missing or broken included file is not an error: ssh
// itself reports it.
func ConfigHosts(home string) ([]string, error) {
	c := configReader{home: home, folder: filepath.Join(home, ".ssh"), read: map[string]bool{}}
	err := c.readFile(filepath.Join(c.folder, "config"), 0)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return c.hosts, err
}

// configReader collects the hosts of configuration files.
type configReader struct {
	home, folder string
	read         map[string]bool // files that were read, which ends a cycle of Include
	hosts        []string
}

func (c *configReader) readFile(path string, depth int) error {
	if depth > maxConfigDepth || len(c.read) >= maxConfigFiles || c.read[path] {
		return nil
	}
	c.read[path] = true
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !info.Mode().IsRegular() { // reading a named pipe would block
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxConfigSize))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for line := range strings.Lines(strings.ToValidUTF8(string(text), "")) {
		c.readLine(line, depth)
	}
	return nil
}

// readLine handles a line: a keyword, then white space or =, then its arguments.
func (c *configReader) readLine(line string, depth int) {
	line = strings.TrimSpace(line)
	end := strings.IndexAny(line, " \t=")
	if end < 0 || strings.HasPrefix(line, "#") {
		return
	}
	arguments := splitArguments(strings.TrimLeft(line[end:], " \t="))
	switch strings.ToLower(line[:end]) {
	case "host":
		for _, name := range arguments {
			if !strings.ContainsAny(name, "*?!") && !slices.Contains(c.hosts, name) && len(c.hosts) < maxConfigHosts {
				c.hosts = append(c.hosts, name)
			}
		}
	case "include":
		for _, pattern := range arguments {
			files, err := filepath.Glob(c.resolvePath(pattern))
			if err != nil {
				continue // not a pattern: ssh reports it
			}
			for _, file := range files {
				_ = c.readFile(file, depth+1) // ssh reports a file that cannot be read
			}
		}
	}
}

// resolvePath returns the absolute path of an included file, which may begin with ~.
func (c *configReader) resolvePath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(c.home, rest)
	}
	if !filepath.IsAbs(path) {
		return filepath.Join(c.folder, path)
	}
	return path
}

// splitArguments splits the arguments of a line; quotes keep spaces together, and # begins a comment.
func splitArguments(text string) []string {
	var list []string
	for text = strings.TrimLeft(text, " \t"); text != "" && text[0] != '#'; text = strings.TrimLeft(text, " \t") {
		var word string
		if rest, quoted := strings.CutPrefix(text, `"`); quoted {
			word, text, _ = strings.Cut(rest, `"`)
		} else if end := strings.IndexAny(text, " \t"); end >= 0 {
			word, text = text[:end], text[end:]
		} else {
			word, text = text, ""
		}
		list = append(list, word)
	}
	return list
}
