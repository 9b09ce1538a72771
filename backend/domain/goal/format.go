package goal

import (
	"fmt"
	"strings"
	"time"
)

// ModelPrefix begins the reason of a goal that stopped because of its model's error.
const ModelPrefix = "the model: "

// DescribeStop tells the user why a goal stopped. The reason is a clause, such as "the limit of 1 h is used up".
func DescribeStop(reason string) string {
	const question = "the agent asks: "
	words := "Stopped: " + reason
	switch {
	case reason == "the user paused the goal":
		words = "You paused this goal"
	case reason == "the user aborted the goal":
		words = "You aborted this goal"
	case strings.HasPrefix(reason, question):
		words = "The agent asks: " + reason[len(question):]
	case strings.HasPrefix(reason, ModelPrefix):
		words = "Model error: " + reason[len(ModelPrefix):]
	}
	return EndSentence(words)
}

// EndSentence adds a full stop, unless the text already ends a sentence.
func EndSentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// FormatCount formats a count with its noun: 1 byte, 2 bytes.
func FormatCount[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// FormatDuration formats a duration as the screens do: 3 ms, 2.1 s, 48 s, 1 m 48 s, 12 m, 2 h 05 m, 3 d 4 h. It
// leaves out zeros at the end.
func FormatDuration(d time.Duration) string {
	const day = 24 * time.Hour
	two := func(big int64, unit string, small int64, of string) string {
		return strings.TrimSuffix(fmt.Sprintf("%d %s %02d %s", big, unit, small, of), " 00 "+of)
	}
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return strings.Replace(fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds()), ".0 ", " ", 1)
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return two(int64(d/time.Minute), "m", int64(d%time.Minute/time.Second), "s")
	case d < day:
		return two(int64(d/time.Hour), "h", int64(d%time.Hour/time.Minute), "m")
	}
	return strings.TrimSuffix(fmt.Sprintf("%d d %d h", d/day, d%day/time.Hour), " 0 h")
}
