package serve

import (
	"bytes"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// icon answers automatic requests of browsers for the icon, even before a login.
func (s *Server) icon(w http.ResponseWriter, r *http.Request) {
	if _, err := fs.Stat(s.o.Assets, "favicon.ico"); err != nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.files.ServeHTTP(w, r)
}

// files serves the built frontend. Names below assets/ contain a hash of their content and are cached by the browser
// without limit; all other files are requested again.
type files struct {
	assets fs.FS
	log    *slog.Logger
}

func (f files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" || name == "." {
		name = "index.html"
	}
	data, err := fs.ReadFile(f.assets, name)
	switch {
	case err != nil && name == "index.html":
		f.log.Error("the frontend is missing", "err", err)
		http.Error(w, "The frontend was not built into this program. Run: make build", http.StatusServiceUnavailable)
		return
	case err != nil:
		http.NotFound(w, r)
		return
	}
	if kind := contentType(name); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	if strings.HasPrefix(name, "assets/") {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	} else {
		w.Header().Set("Cache-Control", "no-store")
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// contentType returns the type of a file, "" if its content tells it. Not every system knows that of a manifest.
func contentType(name string) string {
	if path.Ext(name) == ".webmanifest" {
		return "application/manifest+json"
	}
	return mime.TypeByExtension(path.Ext(name))
}
