package model

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/lib/text"
)

// maxRetryAfter limits the wait that a provider asks for.
const maxRetryAfter = 24 * time.Hour

// retryAfter returns how long the provider wants the client to wait, at most a day; 0 if it does not say. The most
// explicit source that names a time in the future decides: Retry-After-Ms, Retry-After, Google's RetryInfo, a field of
// the error, and for a limit of requests the message ("try again in 6.2s") and then the reset times of the limits.
// Those last two are not read for other errors: providers send the reset times with every answer.
func retryAfter(h http.Header, c apiError, k Kind, now time.Time) time.Duration {
	sources := []func() time.Duration{
		func() time.Duration { return parseNumber(h.Get("Retry-After-Ms"), time.Millisecond) },
		func() time.Duration { return parseWait(h.Get("Retry-After"), now) },
		c.retryDelay,
		func() time.Duration { return parseWait(cmp.Or(c.resetTime(), c.field("retry_after")), now) },
	}
	if k == RateLimited {
		sources = append(sources,
			func() time.Duration { return waitInWords(c.Message) },
			func() time.Duration { return untilReset(h, now) },
			func() time.Duration { return untilReset(c.upstreamHeader(), now) })
	}
	for _, wait := range sources {
		if d := wait(); d > 0 {
			return min(d, maxRetryAfter)
		}
	}
	return 0
}

// shouldRetry reads X-Should-Retry, in which OpenAI, Anthropic and others decide about another attempt. It returns nil
// if the provider leaves that to the client.
func shouldRetry(h http.Header) *bool {
	decision, err := strconv.ParseBool(h.Get("X-Should-Retry"))
	if err != nil {
		return nil
	}
	return &decision
}

// untilReset returns the longest wait until a limit is reset. If the provider says how much is left of its limits, only
// those count of which nothing is.
func untilReset(h http.Header, now time.Time) time.Duration {
	var all, exhausted time.Duration
	for name, values := range h {
		words := strings.Split(strings.ToLower(name), "-")
		at := slices.Index(words, "reset")
		if at < 0 || len(values) == 0 || !strings.Contains(strings.Join(words, ""), "ratelimit") {
			continue
		}
		wait := parseWait(values[0], now)
		all = max(all, wait)
		words[at] = "remaining"
		if left, err := strconv.ParseFloat(h.Get(strings.Join(words, "-")), 64); err == nil && left <= 0 {
			exhausted = max(exhausted, wait)
		}
	}
	if exhausted > 0 {
		return exhausted
	}
	return all
}

// parseWait reads a header that names a time: seconds ("7", "0.5"), seconds or milliseconds since 1970, words ("6.2s",
// "1m30.5s"), an HTTP date, or RFC 3339.
func parseWait(s string, now time.Time) time.Duration {
	const firstEpoch, firstEpochMS = 1e9, 1e12 // no provider asks for a wait of thirty years
	s = strings.TrimSpace(s)
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		switch {
		case v >= firstEpochMS && v < 1e15:
			return time.UnixMilli(int64(v)).Sub(now)
		case v >= firstEpoch && v < firstEpochMS:
			return time.Unix(int64(v), 0).Sub(now)
		}
		return parseNumber(s, time.Second)
	}
	for _, parse := range []func(string) (time.Time, error){
		http.ParseTime,
		func(s string) (time.Time, error) { return time.Parse(time.RFC3339, s) },
	} {
		if t, err := parse(s); err == nil {
			return t.Sub(now)
		}
	}
	if wholeWait.MatchString(s) {
		return sumUnits(s)
	}
	return 0
}

// parseNumber returns 0 for anything but a positive number, and at most a day.
func parseNumber(s string, unit time.Duration) time.Duration {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0) { // also true for NaN
		return 0
	}
	return time.Duration(min(v, float64(maxRetryAfter/unit)) * float64(unit))
}

// A wait in words is a sequence of numbers with units: "1m30.5s", "7 minutes and 2 seconds".
const (
	waitUnit  = `(\d+(?:\.\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)`
	waitUnits = waitUnit + `(?:(?:\s|,|and)*` + waitUnit + `)*`
)

var (
	oneUnit   = text.NewPattern(`(?i)` + waitUnit)
	wholeWait = text.NewPattern(`(?i)^` + waitUnits + `$`)
	// spokenWait matches "Please try again in 6.2s", "retry your request after 20 seconds", "wait about 5 minutes".
	spokenWait = text.NewPattern(`(?i)\b(?:again|retry|wait|resets?)\b[^.\d]{0,24}?\b(` + waitUnits + `)\b`)
)

// waitInWords returns the wait that a message names, 0 if it names none.
func waitInWords(message string) time.Duration {
	found := spokenWait.FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	return sumUnits(found[1])
}

// sumUnits adds up the numbers of a wait in words.
func sumUnits(words string) (sum time.Duration) {
	for _, one := range oneUnit.FindAllStringSubmatch(words, -1) {
		unit := time.Second
		switch word := strings.ToLower(one[2]); {
		case strings.HasPrefix(word, "ms"), strings.HasPrefix(word, "milli"):
			unit = time.Millisecond
		case word[0] == 'm':
			unit = time.Minute
		case word[0] == 'h':
			unit = time.Hour
		case word[0] == 'd':
			unit = 24 * time.Hour
		}
		sum = min(sum+parseNumber(one[1], unit), maxRetryAfter)
	}
	return sum
}
