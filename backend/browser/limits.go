package browser

import "time"

// limits are how long a page is waited for that may never do what it is waited for. They
// are for the impatience of a user and of an agent: on a machine that is ten times slower
// a page that is well can exceed them.
type limits struct {
	settle      time.Duration // for all that an action set off
	leaving     time.Duration // of it, from the news that the page goes elsewhere or opens a window until it does
	load        time.Duration // for a document to finish loading, once the server has answered
	first       time.Duration // for the document of a new window
	part        time.Duration // for a frame of another site to answer, lest one that hangs takes the page along
	input       time.Duration // for the page to take an input, before the next
	certificate time.Duration // for the news of it, which Chromium tells a little after the address
	hung        time.Duration // for a page that seems to hang to prove that it does not
	ending      time.Duration // for Chromium to write what it keeps, before it is killed
	restarts    time.Duration // within which a Chromium that ends is not started again for ever
}

func defaultLimits() limits {
	return limits{
		settle:      2 * time.Second,
		leaving:     time.Second,
		load:        10 * time.Second,
		first:       3 * time.Second,
		part:        2 * time.Second,
		input:       2 * time.Second,
		certificate: 2 * time.Second,
		hung:        time.Second,
		ending:      5 * time.Second,
		restarts:    time.Minute,
	}
}

// testLimits are limits that no page exceeds that answers at all, however busy the machine is.
func testLimits() limits {
	const long = 30 * time.Second
	return limits{
		settle:      long,
		leaving:     long,
		load:        long,
		first:       long,
		part:        long,
		certificate: long,
		ending:      long,
		input:       long,
		hung:        long,
		restarts:    time.Hour,
	}
}

// WithTestLimits is c for tests: it waits for a page as long as a busy machine takes.
func (c Config) WithTestLimits() Config {
	c.limits = testLimits()
	return c
}
