package cli

import (
	"os"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// countdown shows on stderr how long a parked goal still waits: every second on a terminal, every minute in a log.
// tick is nil while nothing is parked.
type countdown struct {
	p           Program
	off         bool
	interactive bool
	until       time.Time
	ticker      *time.Ticker
	tick        <-chan time.Time
}

func (p liveView) countdown(o output) *countdown {
	f, ok := p.Stderr.(*os.File)
	return &countdown{p: p.Program, off: o.noWait, interactive: ok && isTerminal(f)}
}

// onEvent starts the countdown when a goal is parked, and stops it at the next event.
func (c *countdown) onEvent(e event.Event) {
	b, paused := e.Body.(*event.Paused)
	if !paused || !b.Exit.IsParked() {
		if e.Seq != 0 {
			c.stop()
		}
		return
	}
	at, err := time.Parse(time.RFC3339, b.Until)
	if err != nil || c.off {
		return
	}
	c.stop()
	every := time.Minute
	if c.interactive {
		every = time.Second
	}
	c.until, c.ticker = at, time.NewTicker(every)
	c.tick = c.ticker.C
	c.p.errorf("parked: %s\n  resumes automatically at %s; %s resume %s resumes now, Ctrl+C quits\n", oneLine(b.Reason),
		at.Local().Format("15:04:05"), c.p.Name, e.GoalID.Short())
	c.say()
}

func (c *countdown) say() {
	left := goal.FormatDuration(max(0, time.Until(c.until)).Round(time.Second))
	if c.interactive {
		_, _ = c.p.Stderr.Write([]byte("\r  parked, " + left + " left      "))
		return
	}
	c.p.errorf("  parked, %s left\n", left)
}

func (c *countdown) stop() {
	if c.ticker == nil {
		return
	}
	c.ticker.Stop()
	c.ticker, c.tick = nil, nil
	if c.interactive {
		c.p.errorf("\n")
	}
}
