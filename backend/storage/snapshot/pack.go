package snapshot

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"goalpost/backend/lib/text"
)

// blob locates a file's content in the pack.
type blob struct {
	SHA256 string `json:"h"`
	Offset int64  `json:"o"`
	Length int64  `json:"n"` // in the pack, in bytes
	Size   int64  `json:"s"` // of the content
	Plain  bool   `json:"p,omitempty"`
}

// pack is a file with the contents of all snapshots, one after the other. It only grows. Equal contents are stored
// once. add and addLarge may be called concurrently.
type pack struct {
	path string

	mu    sync.Mutex
	file  *os.File // nil until something is added
	end   int64
	limit int64 // no content is added beyond it
	blobs map[string]blob
	fresh []blob // added since the last record
}

var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// compress returns compressed content, or the content itself if that is not longer.
func compress(content []byte) (data []byte, plain bool) {
	if len(content) < 64 {
		return content, true
	}
	var b bytes.Buffer
	b.Grow(len(content) / 2)
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(&b)
	if _, err := w.Write(content); err != nil || w.Close() != nil || b.Len() >= len(content) {
		return content, true
	}
	return b.Bytes(), false
}

// add stores a content. It reports false if there is no space for it.
func (p *pack) add(sum string, content []byte) (bool, error) {
	p.mu.Lock()
	_, isStored := p.blobs[sum]
	p.mu.Unlock()
	if isStored {
		return true, nil
	}
	data, plain := compress(content)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, isStored := p.blobs[sum]; isStored {
		return true, nil
	}
	if p.end+int64(len(data)) > p.limit {
		return false, nil
	}
	if err := p.open(); err != nil {
		return false, err
	}
	if _, err := p.file.WriteAt(data, p.end); err != nil {
		return false, fmt.Errorf("saving a snapshot: %w", text.StripPathError(err))
	}
	p.register(blob{SHA256: sum, Offset: p.end, Length: int64(len(data)), Size: int64(len(content)), Plain: plain})
	return true, nil
}

// addLarge stores a content of unknown length without holding it in memory, and returns its hash and size. isStored is
// false if there is no space for it.
func (p *pack) addLarge(from io.Reader) (sum string, size int64, isStored bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.open(); err != nil {
		return "", 0, false, err
	}
	hash := sha256.New()
	to := &boundedWriter{to: io.NewOffsetWriter(p.file, p.end), limit: p.limit - p.end}
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(to)
	size, err = io.Copy(io.MultiWriter(hash, w), from)
	if err = errors.Join(err, w.Close()); err != nil {
		return "", 0, false, fmt.Errorf("saving a snapshot: %w", text.StripPathError(err))
	}
	sum = hex.EncodeToString(hash.Sum(nil))
	if _, isStored := p.blobs[sum]; isStored {
		return sum, size, true, nil
	}
	if to.full {
		return sum, size, false, nil
	}
	p.register(blob{SHA256: sum, Offset: p.end, Length: to.n, Size: size})
	return sum, size, true, nil
}

// boundedWriter drops what exceeds its limit, and reports that.
type boundedWriter struct {
	to    io.Writer
	limit int64
	n     int64
	full  bool
}

func (bw *boundedWriter) Write(b []byte) (int, error) {
	if bw.full = bw.full || int64(len(b)) > bw.limit; bw.full {
		return len(b), nil
	}
	bw.limit -= int64(len(b))
	bw.n += int64(len(b))
	return bw.to.Write(b) //nolint:wrapcheck // addLarge does
}

// open opens the file for writing. The caller holds mu.
func (p *pack) open() (err error) {
	if p.file == nil {
		if p.file, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return fmt.Errorf("saving a snapshot: %w", text.StripPathError(err))
		}
	}
	return nil
}

func (p *pack) register(b blob) {
	p.blobs[b.SHA256] = b
	p.fresh = append(p.fresh, b)
	p.end += b.Length
}

// forget drops the blobs since the last record, after a snapshot that was not completed.
func (p *pack) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.fresh {
		delete(p.blobs, b.SHA256)
		p.end -= b.Length
	}
	p.fresh = nil
}

// takeFresh returns the blobs that were added since the last call.
func (p *pack) takeFresh() []blob {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.fresh
	p.fresh = nil
	return list
}

// restore adds the blobs of a record from the log.
func (p *pack) restore(list []blob) {
	for _, b := range list {
		p.blobs[b.SHA256] = b
		p.end = max(p.end, b.Offset+b.Length)
	}
}

func (p *pack) hasSpace(size int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.end+size <= p.limit
}

func (p *pack) has(sum string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.blobs[sum]
	return ok
}

// writeTo writes a file's content, and fails if its hash is not sum.
func (p *pack) writeTo(to io.Writer, sum string) error {
	p.mu.Lock()
	b, ok := p.blobs[sum]
	p.mu.Unlock()
	if !ok {
		return errors.New("its content was not saved")
	}
	f, err := os.Open(p.path)
	if err != nil {
		return fmt.Errorf("reading a snapshot: %w", text.StripPathError(err))
	}
	defer func() { _ = f.Close() }()
	var from io.Reader = io.NewSectionReader(f, b.Offset, b.Length)
	if !b.Plain {
		from = flate.NewReader(from)
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, hash), io.LimitReader(from, b.Size+1))
	if err != nil {
		return fmt.Errorf("reading a snapshot: %w", text.StripPathError(err))
	}
	if n != b.Size || hex.EncodeToString(hash.Sum(nil)) != sum {
		return errors.New("its saved content is damaged")
	}
	return nil
}

func (p *pack) sync() error {
	p.mu.Lock()
	f := p.file
	p.mu.Unlock()
	if f == nil {
		return nil
	}
	return text.StripPathError(f.Sync())
}

func (p *pack) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	p.file = nil
	return text.StripPathError(err)
}
