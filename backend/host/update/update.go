// Package update asks a release feed which version is the newest. Nothing is downloaded or installed, and nothing about
// the user is sent.
package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

const (
	// checkTimeout limits the whole request.
	checkTimeout = 10 * time.Second
	// maxFeed limits the bytes that are read of a feed.
	maxFeed = 1 << 20
	// maxRedirects limits how many redirects of a feed are followed.
	maxRedirects = 3
	// cacheTime is how long Checker keeps an answer.
	cacheTime = 24 * time.Hour
)

// Release is the newest release of a feed.
type Release struct {
	Version string `json:"version"` // 1.2.3, without the v of its tag
	URL     string `json:"url"`     // HTTPS address of its page
	Newer   bool   `json:"newer"`   // than the running program
}

// versionForm matches a semantic version. Build metadata after a plus sign is ignored.
var versionForm = text.NewPattern(
	`^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]{1,64})?(\+[0-9A-Za-z.-]{1,64})?$`)

// ValidateFeed refuses any address but an HTTPS address without a password, which would be stored in plain text.
func ValidateFeed(feed string) error {
	u, err := url.Parse(feed)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return fault.Invalid("update_feed", fmt.Sprintf("%.200q is not the address of a release feed", feed),
			"give an https:// address without a password, or leave it empty to switch the check off")
	}
	return nil
}

// Check reads the feed with one GET request. The feed is an object with tag_name and html_url, as GitHub and Forgejo
// answer at releases/latest. current is the version of the running program.
func Check(ctx context.Context, feed, current string) (Release, error) {
	if err := ValidateFeed(feed); err != nil {
		return Release{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, feed, nil)
	if err != nil {
		return Release{}, fmt.Errorf("check for updates: %w", err)
	}
	req.Header.Set("User-Agent", "goalpost")
	req.Header.Set("Accept", "application/json")
	client := &http.Client{CheckRedirect: func(next *http.Request, earlier []*http.Request) error {
		if next.URL.Scheme != "https" || len(earlier) > maxRedirects {
			return errors.New("it redirects to an address without HTTPS, or too often")
		}
		next.Header.Del("Referer") // the feed's address
		return nil
	}}
	answer, err := client.Do(req)
	if err != nil {
		return Release{}, unavailable("The release feed did not answer: " + err.Error())
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return Release{}, unavailable("The release feed answered " + answer.Status)
	}
	return parseFeed(io.LimitReader(answer.Body, maxFeed), current)
}

func unavailable(message string) error {
	return &fault.Error{
		Code:    fault.Unavailable,
		Message: message,
		Hint:    "check the address in the settings (update_feed) and your connection",
	}
}

func parseFeed(body io.Reader, current string) (Release, error) {
	var feed struct {
		Tag  string `json:"tag_name"`
		Page string `json:"html_url"`
	}
	if err := json.NewDecoder(body).Decode(&feed); err != nil {
		return Release{}, unavailable("The release feed cannot be read: " + err.Error())
	}
	page, err := url.Parse(feed.Page)
	if !versionForm.MatchString(feed.Tag) || err != nil || page.Scheme != "https" || page.Host == "" {
		return Release{},
			unavailable(fmt.Sprintf("The release feed has no version (tag_name %.40q) or no HTTPS page", feed.Tag))
	}
	version := feed.Tag
	if version[0] == 'v' {
		version = version[1:]
	}
	return Release{Version: version, URL: page.String(), Newer: isNewer(version, current)}, nil
}

// isNewer reports whether release comes after current. A version without a number, such as that of a build without
// git, is older than any release. A preview is older than its release, and previews of the same release are equal.
func isNewer(release, current string) bool {
	a, b := versionForm.FindStringSubmatch(release), versionForm.FindStringSubmatch(current)
	if a == nil || b == nil {
		return a != nil
	}
	for i := 1; i <= 3; i++ {
		x, err1 := strconv.Atoi(a[i])
		y, err2 := strconv.Atoi(b[i])
		if errors.Join(err1, err2) != nil || x != y {
			return x > y
		}
	}
	return a[4] == "" && b[4] != ""
}

// Checker keeps the last answer for a day, so that a program that checks often asks the feed once. Its methods may be
// called concurrently. The zero value is ready.
type Checker struct {
	mu      sync.Mutex
	feed    string
	at      time.Time
	release Release
	err     error
}

// Check returns the stored answer, or the answer of the function Check.
func (c *Checker) Check(ctx context.Context, feed, current string) (Release, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.feed != feed || time.Since(c.at) > cacheTime {
		c.release, c.err = Check(ctx, feed, current)
		c.feed, c.at = feed, time.Now()
	}
	return c.release, c.err
}
