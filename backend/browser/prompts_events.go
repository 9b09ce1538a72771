package browser

// promptEvents turns what Chromium and userprompts.js report into prompts, and passes on
// their answers.
type promptEvents struct {
	state    *state
	activity *activity
	driver   *driver
	prompts  *prompts
	frames   *frames
	siteData *siteData
	logins   *logins
}
