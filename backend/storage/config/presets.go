package config

import (
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/lib/fault"
)

// Preset is a known way to reach models.
type Preset struct {
	ID      string
	Name    string // as its maker writes it
	Kind    Kind
	BaseURL string // "" if the user must give it
	// KeyVariables are the environment variables that usually contain its key, the most common first. Servers without
	// keys have none.
	KeyVariables []string
	KeyPage      string // where users get a key
	IsLocal      bool   // a server on this computer, whose models cost nothing
	ReportsCost  bool   // sends the cost of each turn
}

// CustomPreset is the preset of any other server.
const CustomPreset = "custom"

// Presets lists the known ways to reach models, in the order in which they are offered.
func Presets() []Preset {
	key := func(id, name string, kind Kind, baseURL, page string, variables ...string) Preset {
		return Preset{ID: id, Name: name, Kind: kind, BaseURL: baseURL, KeyPage: page, KeyVariables: variables}
	}
	local := func(id, name, baseURL string) Preset {
		return Preset{ID: id, Name: name, Kind: OpenAI, BaseURL: baseURL, IsLocal: true}
	}
	router := key("openrouter", "OpenRouter", OpenAI, "https://openrouter.ai/api/v1",
		"https://openrouter.ai/settings/keys", "OPENROUTER_API_KEY")
	router.ReportsCost = true
	return []Preset{
		key("openai", "OpenAI", OpenAIResponses, "https://api.openai.com/v1",
			"https://platform.openai.com/api-keys", "OPENAI_API_KEY"),
		key("anthropic", "Anthropic", Anthropic, "https://api.anthropic.com",
			"https://console.anthropic.com/settings/keys", "ANTHROPIC_API_KEY"),
		key("gemini", "Google Gemini", OpenAI, "https://generativelanguage.googleapis.com/v1beta/openai",
			"https://aistudio.google.com/apikey", "GEMINI_API_KEY", "GOOGLE_API_KEY"),
		router,
		local("ollama", "Ollama", "http://127.0.0.1:11434/v1"),
		local("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"),
		key("mistral", "Mistral", OpenAI, "https://api.mistral.ai/v1",
			"https://console.mistral.ai/api-keys", "MISTRAL_API_KEY"),
		key("deepseek", "DeepSeek", OpenAI, "https://api.deepseek.com/v1",
			"https://platform.deepseek.com/api_keys", "DEEPSEEK_API_KEY"),
		key("groq", "Groq", OpenAI, "https://api.groq.com/openai/v1",
			"https://console.groq.com/keys", "GROQ_API_KEY"),
		key("xai", "xAI", OpenAI, "https://api.x.ai/v1", "https://console.x.ai", "XAI_API_KEY"),
		key("azure", "Azure OpenAI", OpenAI, "", "https://ai.azure.com", "AZURE_OPENAI_API_KEY"),
		local("vllm", "vLLM", "http://127.0.0.1:8000/v1"),
		local("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1"),
		{ID: CustomPreset, Name: "Custom endpoint", Kind: OpenAI},
	}
}

// FindPreset finds a preset by its id, without regard to case, dots, dashes and spaces: "LM Studio" is lmstudio.
func FindPreset(name string) (p Preset, isKnown bool) {
	id := strings.NewReplacer(".", "", "-", "", " ", "", "_", "").Replace(strings.ToLower(name))
	all := Presets()
	i := slices.IndexFunc(all, func(p Preset) bool { return p.ID == id })
	if i < 0 {
		return Preset{}, false
	}
	return all[i], true
}

// FindVariable returns the first of the preset's key variables that is set, "" if none is set.
func (p Preset) FindVariable(getenv func(string) string) string {
	for _, name := range p.KeyVariables {
		if getenv(name) != "" {
			return name
		}
	}
	return ""
}

// PresetIDs lists the ids, for messages.
func PresetIDs() string {
	var ids []string
	for _, p := range Presets() {
		ids = append(ids, p.ID)
	}
	return strings.Join(ids, ", ")
}

// FreeID returns id, with the lowest free number appended if a provider already has it.
func (c *Config) FreeID(id string) string {
	f := c.current()
	free := id
	for n := 2; f.find(free) >= 0 || free == string(Demo); n++ {
		free = fmt.Sprintf("%s-%d", id, n)
	}
	return free
}

// RequirePreset is FindPreset with an error that lists the presets.
func RequirePreset(name string) (Preset, error) {
	p, ok := FindPreset(name)
	if !ok {
		return Preset{}, fault.Invalid("preset", fmt.Sprintf("there is no preset %q", name), "use one of "+PresetIDs())
	}
	return p, nil
}
