package ssh

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// maxOffered is how many files are offered at once.
const maxOffered = 200

// KeyFiles returns what may complete the path of a private key that the user types: the private keys and the folders,
// with a slash behind them, that begin with it. Without a path it returns the keys in ~/.ssh.
func KeyFiles(home, typed string) []string {
	isFirst := typed == ""
	if isFirst {
		typed = "~/.ssh/"
	}
	path := typed
	if rest, ok := strings.CutPrefix(typed, "~/"); ok {
		path = home + "/" + rest
	}
	if !filepath.IsAbs(path) {
		return []string{}
	}
	dir, prefix := filepath.Split(path)
	entries, _ := os.ReadDir(dir) // a folder that cannot be read offers nothing
	offered := []string{}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, prefix) || len(offered) == maxOffered {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, name))
		switch {
		case err != nil:
			continue
		case info.IsDir() && !isFirst:
			name += "/"
		case !info.Mode().IsRegular() || !isPrivateKey(filepath.Join(dir, name)):
			continue
		}
		offered = append(offered, strings.TrimSuffix(typed, prefix)+name)
	}
	return offered
}

var keyHeader = regexp.MustCompile(`^-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----`)

func isPrivateKey(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	begin := make([]byte, 64)
	n, _ := io.ReadFull(f, begin)
	return keyHeader.Match(begin[:n])
}
