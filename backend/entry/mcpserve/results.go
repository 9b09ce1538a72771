package mcpserve

import (
	"fmt"
	"strings"
	"sync"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// resultPager stores results that are too long for one answer. The zero value is ready. All methods may be called
// concurrently.
type resultPager struct {
	mu   sync.Mutex
	last int
	rest map[int]string
}

const (
	resultPageBytes = 16 << 10
	maxResultBytes  = 64 << 10 // for tools with a larger budget
	maxResultsKept  = 16       // the newest ones
)

// truncate removes the middle of a result that is too long, and explains how to read the rest.
func (rp *resultPager) truncate(r goal.Result) goal.Result {
	limit := resultPageBytes
	if r.Budget > 0 {
		limit = min(maxResultBytes, r.Budget)
	}
	r.Text = text.ToUTF8(r.Text)
	if len(r.Text) <= limit {
		return r
	}
	rp.mu.Lock()
	defer rp.mu.Unlock()
	if rp.rest == nil {
		rp.rest = map[int]string{}
	}
	rp.last++
	rp.rest[rp.last] = r.Text
	delete(rp.rest, rp.last-maxResultsKept)
	half := limit / 2
	head, tail := pageAt(r.Text, 0, half), strings.ToValidUTF8(r.Text[len(r.Text)-half:], "")
	r.Text = fmt.Sprintf("%s\n… %d bytes left out: read_result with the result %d, from %d, continues here …\n%s", head,
		len(r.Text)-len(head)-len(tail), rp.last, len(head), tail)
	return r
}

// pageAt returns up to max bytes of text. It does not split a character.
func pageAt(text string, from, max int) string {
	text = text[from:]
	return strings.ToValidUTF8(text[:min(max, len(text))], "")
}

type readResultArgs struct {
	Result int `json:"result"`
	From   int `json:"from"`
}
