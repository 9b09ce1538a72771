package api

// WindowSource is where the size of a model's context window is from.
type WindowSource string

// The sources.
const (
	WindowFromUser    WindowSource = "user"
	WindowFromServer  WindowSource = "server"
	WindowFromCatalog WindowSource = "catalog"
	WindowAssumed     WindowSource = "assumed" // nothing is known
)

// Ability says whether a model can do something.
type Ability string

// The answers.
const (
	CanDo          Ability = "yes"
	CannotDo       Ability = "no"
	UnknownAbility Ability = ""
)

// The types of ModelAPI.
type (
	// Provider is a server that offers models.
	Provider struct {
		ID            string `json:"id"`
		Kind          string `json:"kind"` // openai, openai-responses, anthropic, demo
		BaseURL       string `json:"base_url"`
		Model         string `json:"model"`
		APIKeyEnv     string `json:"api_key_env"`    // name of the environment variable that contains the key
		APIKeySecret  string `json:"api_key_secret"` // name of the secret that is the key instead
		ContextWindow int    `json:"context_window"` // tokens; 0 = the known value for the model
		Active        bool   `json:"active"`
		Scripted      bool   `json:"scripted"`
		Ready         bool   `json:"ready"` // its last test, with exactly these values, succeeded
		Note          string `json:"note"`  // why it is not ready, or "scripted, no AI"
		// Efforts are its protocol's names for the reasoning effort. Save ignores them.
		Efforts []string `json:"efforts"`
		Preset  string   `json:"preset"` // id of the preset that it was made from; "" = another server
		// USD per million tokens, as the user entered them; 0 = the published price.
		InputPrice  float64 `json:"input_price"`
		OutputPrice float64 `json:"output_price"`
		HasPrice    bool    `json:"has_price"`  // money limits have an effect; Save ignores it
		TestedAt    string  `json:"tested_at"`  // RFC 3339, "" = never; Save ignores it and the next
		LatencyMS   int64   `json:"latency_ms"` // of the reply in the last test
		Models      int     `json:"models"`     // how many the server listed then
	}

	// PresetView is a known provider.
	PresetView struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Kind        string `json:"kind"`
		BaseURL     string `json:"base_url"` // "" = the user has to give it
		KeyPage     string `json:"key_page"` // where users get a key; "" = it needs none
		KeyVariable string `json:"key_variable"`
		HasKey      bool   `json:"has_key"` // KeyVariable is set in the environment of this process
		Local       bool   `json:"local"`   // a server on this computer
	}

	// FoundServer is a model server that answers on this computer.
	FoundServer struct {
		Preset  string   `json:"preset"`
		Name    string   `json:"name"`
		BaseURL string   `json:"base_url"`
		Models  []string `json:"models"`
	}

	// ConnectInput describes a connection to try or to save. Empty fields keep the values of the provider ID, or get
	// those of the preset.
	ConnectInput struct {
		ID            string  `json:"id"`     // its name; "" is chosen from the preset
		Preset        string  `json:"preset"` // "" = another server
		Kind          string  `json:"kind"`
		BaseURL       string  `json:"base_url"`
		Model         string  `json:"model"`      // "" is chosen from the server's list
		Key           string  `json:"key"`        // stored in the keyring or the encrypted file, when it is saved
		KeyEnv        string  `json:"key_env"`    // environment variable with the key, instead
		KeySecret     string  `json:"key_secret"` // name of a stored secret that is the key, instead
		ContextWindow int     `json:"context_window"`
		InputPrice    float64 `json:"input_price"`
		OutputPrice   float64 `json:"output_price"`
		Use           bool    `json:"use"`      // make it the default for new goals
		Untested      bool    `json:"untested"` // save without a test
		New           bool    `json:"new"`      // refuse to change an existing provider of this name
		// OnlyList ends a test that saves nothing after the list of models, before a model is asked.
		OnlyList bool `json:"only_list"`
	}

	// ConnectionTest is the outcome of a test of a connection. Its steps are reach, key, models and tools.
	ConnectionTest struct {
		OK      bool   `json:"ok"`
		Step    string `json:"step"`    // the step that failed
		Message string `json:"message"` // what failed, or what the user should know
		Hint    string `json:"hint"`    // what to do next
		// Response is the beginning of what the server answered, without secrets.
		Response  string      `json:"response"`
		Status    int         `json:"status"`     // of the response, 0 without one
		LatencyMS int64       `json:"latency_ms"` // of the model's reply, or of the failed step
		Steps     []TestStep  `json:"steps"`
		Models    []ModelView `json:"models"`
		Model     string      `json:"model"` // the tested model
		Notes     []string    `json:"notes"` // about an assumed context window or an unknown price
	}

	// TestStep is one step of a test.
	TestStep struct {
		ID     string       `json:"id"` // reach, key, models, tools
		State  FindingState `json:"state"`
		Detail string       `json:"detail"`
	}

	// ModelView is a model that a server offers. Prices are in USD per million tokens, 0 is unknown.
	ModelView struct {
		ID            string       `json:"id"`
		ContextWindow int          `json:"context_window"` // tokens
		WindowFrom    WindowSource `json:"window_from"`
		InputPrice    float64      `json:"input_price"`
		OutputPrice   float64      `json:"output_price"`
		CachedPrice   float64      `json:"cached_price"`
		Free          bool         `json:"free"` // runs on this computer
		Images        Ability      `json:"images"`
		Tools         Ability      `json:"tools"`
		Reasoning     Ability      `json:"reasoning"`
		Recommended   bool         `json:"recommended"`
		Other         bool         `json:"other"` // it is not in the provider's list of text models
	}

	// ConnectOutput is the result of a test, and of saving the provider.
	ConnectOutput struct {
		Saved bool           `json:"saved"`
		ID    string         `json:"id"`
		Place string         `json:"place"` // where a key was stored: keyring, file
		Test  ConnectionTest `json:"test"`  // has no steps without a test
	}
)
