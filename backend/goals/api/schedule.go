package api

import (
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/schedule"
)

// ScheduleView is a schedule as the page and --json show it.
type ScheduleView struct {
	schedule.Schedule

	When     string   `json:"when"`      // the cron expression in words
	Upcoming []string `json:"upcoming"`  // its next times; [] if it is off
	SpentUSD float64  `json:"spent_usd"` // in this month
	Running  bool     `json:"running"`   // a goal of it has not ended
}

// ScheduleRunView is what became of one due time of a schedule.
type ScheduleRunView struct {
	schedule.Run

	Status goal.Status `json:"status,omitempty"` // of its goal
	Exit   goal.Exit   `json:"exit,omitempty"`
	USD    float64     `json:"usd"`
}

// Timetable is a cron expression in words, with its next times.
type Timetable struct {
	When     string   `json:"when"`
	Upcoming []string `json:"upcoming"`
}
