package api

// EngineView is an engine. The command line prints it as JSON.
type EngineView struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Default bool   `json:"default"` // for new goals
	Path    string `json:"path"`    // "" if it is not installed
	Version string `json:"version"` // "" if it is not known
	Tested  bool   `json:"tested"`  // this version of it was tested with this version of Goalpost
	Note    string `json:"note"`
	Install string `json:"install"` // the command that installs it, "" for Goalpost's own loop
	Licence string `json:"licence"`
	// Credentials says which keys and sign-ins it needs, and who can read them.
	Credentials string `json:"credentials"`
	// Login is the sign-in that it can use instead of the goal's model, null if there is none.
	Login *EngineLogin `json:"login"`
}

// EngineLogin is the sign-in that an external agent has on this computer.
type EngineLogin struct {
	Problem string `json:"problem"` // why it cannot be used now, "" if it can
	Advice  string `json:"advice"`  // how to sign in
	Command string `json:"command"` // of Advice
	Lost    string `json:"lost"`    // what a goal gives up that uses it
}

// EngineTest is the result of an engine's test.
type EngineTest struct {
	OK     bool          `json:"ok"`
	MS     int64         `json:"ms"`
	Stages []EngineStage `json:"stages"` // up to the one that failed
}

// EngineStage is a part of an engine's test.
type EngineStage struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // why it failed, "" if it did not
}
