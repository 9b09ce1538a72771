package acp_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processorTime returns the processor time that this process has used.
func processorTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkUpdates measures the processor time of 1,000 updates of an agent: 700 pieces of text and 100 tool calls of
// three updates each, with arguments and output of 1 KB. It includes the time that the scripted agent takes to write
// them.
func BenchmarkUpdates(b *testing.B) {
	text := strings.Repeat("x", 1024)
	var lines []string
	for i := range 100 {
		for range 7 {
			lines = append(lines, update("s1",
				`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a few words "}}`))
		}
		lines = append(lines,
			update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"%d","title":"t","kind":"execute",`+
				`"rawInput":{"command":%q}}`, i, text)),
			update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"%d","status":"in_progress"}`, i)),
			update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"%d","status":"completed",`+
				`"rawOutput":{"output":%q}}`, i, text)))
	}
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		if _, _, err := prompt(b, func(a agent, id string) {
			a.send(lines...)
			a.send(end(id))
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/1000-updates")
}
