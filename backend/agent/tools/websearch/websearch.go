// Package websearch queries search engines with an API: SearXNG, Brave and Tavily.
package websearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/lib/text"
)

// The supported engines.
const (
	SearXNG = "searxng"
	Brave   = "brave"
	Tavily  = "tavily"
)

const (
	timeout     = 30 * time.Second
	maxResponse = 4 << 20 // bytes
)

// Hit is one result. Its texts come from the web.
type Hit struct {
	Title   string
	URL     string
	Extract string
	Date    string // as the engine writes it, "" if unknown
}

// Engine is a search engine with its address. It may be used concurrently.
type Engine struct {
	Kind      string
	Address   string // base address; "" means the default of Brave or Tavily
	Key       string
	Transport http.RoundTripper
}

// BaseURL returns the address to which queries are sent.
func (e Engine) BaseURL() string {
	switch {
	case e.Address != "":
		return strings.TrimSuffix(e.Address, "/")
	case e.Kind == Brave:
		return "https://api.search.brave.com"
	case e.Kind == Tavily:
		return "https://api.tavily.com"
	}
	return ""
}

// Search returns at most count results. An error says what the user can do.
func (e Engine) Search(ctx context.Context, query string, count int) ([]Hit, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := e.request(ctx, query, count)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	client := http.Client{
		Transport: e.Transport,
		// Redirects are not followed: only this server may get the key.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(request)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // without the query
		}
		return nil, fmt.Errorf("%s cannot be reached: %w", request.URL.Host, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", request.URL.Host, err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, e.describeStatus(res.StatusCode, body)
	}
	hits, err := e.parseHits(body)
	if err != nil {
		return nil, fmt.Errorf("the answer of %s is not in the format of %s: %w", request.URL.Host, e.Kind, err)
	}
	return hits[:min(count, len(hits))], nil
}

func (e Engine) request(ctx context.Context, query string, count int) (*http.Request, error) {
	method, path, body := http.MethodGet, "", []byte(nil)
	switch e.Kind {
	case SearXNG:
		path = "/search?" + url.Values{"q": {query}, "format": {"json"}}.Encode()
	case Brave:
		path = "/res/v1/web/search?" + url.Values{"q": {query}, "count": {strconv.Itoa(count)}}.Encode()
	case Tavily:
		var err error
		if body, err = json.Marshal(map[string]any{"query": query, "max_results": count}); err != nil {
			return nil, fmt.Errorf("encoding the query: %w", err)
		}
		method, path = http.MethodPost, "/search"
	default:
		return nil, fmt.Errorf("unknown search engine %q", e.Kind)
	}
	r, err := http.NewRequestWithContext(ctx, method, e.BaseURL()+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	switch {
	case e.Key == "":
	case e.Kind == Brave:
		r.Header.Set("X-Subscription-Token", e.Key)
	default:
		r.Header.Set("Authorization", "Bearer "+e.Key)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// describeStatus returns an error for an unsuccessful status, with the server's message and a hint.
func (e Engine) describeStatus(status int, body []byte) error {
	words := text.TruncateBytes(string(bytes.TrimSpace(body)), 300)
	hint := "try again later"
	switch {
	case status == http.StatusForbidden && e.Kind == SearXNG:
		hint = "the server must allow JSON: its owner can add json to search.formats in settings.yml"
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusUnprocessableEntity:
		hint = "the user can check the key of the search engine in the settings"
	case status == http.StatusTooManyRequests:
		hint = "the request limit is reached; wait, or read a known address with fetch_url"
	case status == http.StatusNotFound, status >= 300 && status < 400:
		hint = "the user can check the address of the search engine in the settings"
	}
	return fmt.Errorf("%s answered %d: %s. Next: %s", e.Kind, status, words, hint)
}

func (e Engine) parseHits(body []byte) ([]Hit, error) {
	type result struct {
		Title         string `json:"title"`
		URL           string `json:"url"`
		Content       string `json:"content"`     // SearXNG, Tavily
		Description   string `json:"description"` // Brave
		Age           string `json:"age"`         // Brave
		PublishedDate string `json:"publishedDate"`
		Published     string `json:"published_date"` // Tavily
	}
	var answer struct {
		Results *[]result `json:"results"`
		Web     *struct {
			Results []result `json:"results"`
		} `json:"web"`
		Type string `json:"type"` // Brave: "search", even without results
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", err)
	}
	var list []result
	switch {
	case answer.Results != nil:
		list = *answer.Results
	case answer.Web != nil:
		list = answer.Web.Results
	case e.Kind != Brave || answer.Type == "":
		return nil, errors.New("it has no results")
	}
	hits := make([]Hit, 0, len(list))
	for _, r := range list {
		if r.URL == "" {
			continue
		}
		hits = append(hits, Hit{
			Title:   toPlainText(r.Title),
			URL:     r.URL,
			Extract: toPlainText(r.Content + r.Description),
			Date:    toPlainText(r.Age + r.PublishedDate + r.Published),
		})
	}
	return hits, nil
}

// markup matches the tags with which engines highlight the words of a query.
var markup = text.NewPattern(`</?(strong|b|em|mark|span)[^<>]*>`)

func toPlainText(s string) string {
	return strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(s, ""))), " ")
}
