package browser

// promptEvents turns events of Chromium and messages of userprompts.js into prompts, and passes
// on their answers.
type promptEvents struct {
	state    *State
	activity *Activity
	driver   *Driver
	prompts  *Prompts
	frames   *frames
	siteData *SiteData
	logins   *Logins
}
