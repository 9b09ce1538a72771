package browser

// promptEvents turns events of Chromium and messages of userprompts.js into prompts, and passes
// on their answers.
type promptEvents struct {
	state    *state
	activity *activity
	driver   *driver
	prompts  *prompts
	frames   *frames
	siteData *siteData
	logins   *logins
}
