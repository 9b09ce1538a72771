package runner

// journalWriter appends the events of one run. Safe for concurrent use.
type journalWriter struct {
	run *Run

	events        EventLog
	pendingEvents pendingEvents // safe for both
}
