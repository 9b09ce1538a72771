package browser

import "time"

// limits are timeouts for pages that may never do what a caller waits for. They suit the patience
// of a user and of an agent: on a machine that is ten times slower, a normal page can exceed them.
type limits struct {
	call          time.Duration // every operation but a navigation
	settle        time.Duration // for all effects of an action
	leaving       time.Duration // part of settle: for an announced navigation or window to begin
	load          time.Duration // for a document to load after the server has answered
	firstDocument time.Duration // for the document of a new window
	remoteFrame   time.Duration // for a frame of another site to answer, so that it cannot block the page
	input         time.Duration // for the page to process an input, before the next one
	certificate   time.Duration // for its event, which Chromium sends a little after the address
	hung          time.Duration // for a page that seems to hang to answer
	freed         time.Duration // for a page whose script was ended to answer, before it loses its process
	ending        time.Duration // for Chromium to write its files before it is killed
	restartWindow time.Duration // in which only some restarts of Chromium are allowed
}

func defaultLimits() limits {
	return limits{
		call:          10 * time.Second,
		settle:        2 * time.Second,
		leaving:       time.Second,
		load:          10 * time.Second,
		firstDocument: 3 * time.Second,
		remoteFrame:   2 * time.Second,
		input:         2 * time.Second,
		certificate:   2 * time.Second,
		hung:          time.Second,
		freed:         5 * time.Second,
		ending:        5 * time.Second,
		restartWindow: time.Minute,
	}
}

// testLimits are limits that no responsive page exceeds on a machine that is this many times slower than a usual one,
// however busy it is.
func testLimits(slowness int) limits {
	long := time.Duration(slowness) * 30 * time.Second
	return limits{
		call:          long,
		settle:        long,
		leaving:       long,
		load:          long,
		firstDocument: long,
		remoteFrame:   long,
		certificate:   long,
		ending:        long,
		input:         long,
		hung:          long,
		freed:         long,
		restartWindow: time.Hour,
	}
}

// WithTestLimits returns c with limits for tests, which suit a busy machine that is this many times slower than a usual
// one.
func (c Config) WithTestLimits(slowness int) Config {
	c.limits = testLimits(slowness)
	return c
}
