package models

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/catalog"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/config"
)

// The steps of a test, in their order.
const (
	stepReach  = "reach"
	stepKey    = "key"
	stepModels = "models"
	stepTools  = "tools"
)

const (
	toolTimeout      = 60 * time.Second
	localToolTimeout = 3 * time.Minute // a local server may have to load the model first
	maxResponse      = 2000            // characters of a server's answer that are shown
)

// failure describes a failed step, or a warning.
type failure struct {
	step, message, hint, response string
	status                        int
	isWarning                     bool // the connection works
}

// testConnection runs the steps until one fails. It chooses a model if the provider names none, and sets the provider's
// Test.
func (pr *Providers) testConnection(ctx context.Context, c *connection) api.ConnectionTest {
	t := emptyTest()
	r := testRun{Providers: pr, c: c, result: &t, started: time.Now()}
	r.run(ctx)
	c.provider.Test = &config.ProviderTest{
		At:        pr.Clock.Now(),
		OK:        t.OK,
		Model:     t.Model,
		LatencyMS: t.LatencyMS,
		Models:    len(t.Models),
		Window:    r.window,
		Message:   t.Message,
	}
	return t
}

// listConnection runs the steps that ask no model, which a server answers at once even while it loads one.
func (pr *Providers) listConnection(ctx context.Context, c *connection) api.ConnectionTest {
	t := emptyTest()
	r := testRun{Providers: pr, c: c, result: &t, started: time.Now()}
	if r.reach(ctx) && r.list(ctx) {
		r.chooseModel()
	}
	return t
}

// emptyTest returns a test without steps, whose lists the page can read.
func emptyTest() api.ConnectionTest {
	return api.ConnectionTest{Steps: []api.TestStep{}, Models: []api.ModelView{}, Notes: []string{}}
}

// testRun is the state of one test.
type testRun struct {
	*Providers
	c            *connection
	result       *api.ConnectionTest
	started      time.Time // of the present step
	serverModels []listedModel
	window       int // in tokens, as the server reported it for the tested model
}

func (tr *testRun) run(ctx context.Context) {
	p := &tr.c.provider
	if !tr.reach(ctx) || !tr.list(ctx) || !tr.chooseModel() || !tr.callTool(ctx) {
		return
	}
	tr.result.OK = true
	tr.describeWindow(ctx)
	if !tr.HasPrice(*p) {
		tr.result.Notes = append(tr.result.Notes, "No price is known for "+p.Model+", so spending limits have no effect. "+
			"Enter its price, or limit the tokens.")
	}
}

// reach checks that the server accepts a connection.
func (tr *testRun) reach(ctx context.Context) (ok bool) {
	p := tr.c.provider
	if err := checkReachable(ctx, p); err != nil {
		return tr.fail(tr.describeUnreachable(err))
	}
	tr.pass(stepReach, hostPort(p.BaseURL)+" answers")
	return true
}

func (tr *testRun) pass(step, detail string) {
	tr.result.Steps = append(tr.result.Steps, api.TestStep{ID: step, State: api.FindingOK, Detail: detail})
	tr.started = time.Now()
}

// fail records a failure, and reports whether the test may continue.
func (tr *testRun) fail(f failure) bool {
	t := tr.result
	state := api.FindingBad
	if f.isWarning {
		state = api.FindingWarn
	}
	t.Steps = append(t.Steps, api.TestStep{ID: f.step, State: state, Detail: f.message})
	t.Message, t.Hint, t.Status, t.Response = f.message, f.hint, f.status, tr.redactResponse(f.response)
	if !f.isWarning {
		t.Step, t.LatencyMS = f.step, time.Since(tr.started).Milliseconds()
	}
	tr.started = time.Now()
	return f.isWarning
}

// redactResponse shortens a server's response, and removes the key and control characters.
func (tr *testRun) redactResponse(response string) string {
	withoutKey := text.ToUTF8(response)
	if tr.c.key != "" {
		withoutKey = strings.ReplaceAll(withoutKey, tr.c.key, "[key]")
	}
	// The mask finds a secret with invisible characters in it only before these are made visible.
	return strings.TrimSpace(text.Truncate(text.Sanitize(tr.Mask.Text(withoutKey)), maxResponse))
}

// list reads the server's models. If the server has no list, the test continues with the provider's model.
func (tr *testRun) list(ctx context.Context) (ok bool) {
	models, err := server{tr.c.provider, tr.c.key, tr.Transport}.listModels(ctx)
	var listing *serverError
	if p, isOther := withVersionPath(tr.c.provider); isOther && errors.As(err, &listing) {
		// The path is often left out, or is that of another protocol.
		if found, again := (server{p, tr.c.key, tr.Transport}).listModels(ctx); again == nil {
			tr.c.provider, models, err = p, found, nil
		}
	}
	if err != nil {
		f := tr.describeFailure(*tr.c, err)
		if f.step != stepModels || tr.c.provider.Model == "" {
			return tr.fail(f)
		}
		tr.result.Steps = append(tr.result.Steps, api.TestStep{
			ID:     stepModels,
			State:  api.FindingWarn,
			Detail: "the server has no list of models",
		})
		return true
	}
	tr.serverModels = models
	tr.result.Models = viewModels(tr.c.provider, models)
	tr.pass(stepModels, fmt.Sprintf("%d models", len(tr.result.Models)))
	return true
}

// chooseModel checks that the server has the provider's model, or chooses one.
func (tr *testRun) chooseModel() (ok bool) {
	p, views := &tr.c.provider, tr.result.Models
	if p.Model == "" {
		if len(views) == 0 {
			return tr.fail(failure{
				step:    stepModels,
				message: "the server lists no model",
				hint:    "load or download a model in the server, then test again",
			})
		}
		p.Model = views[0].ID // the best one is first
	}
	tr.result.Model = p.Model
	has := func(v api.ModelView) bool {
		return v.ID == p.Model || v.ID == p.Model+":latest" || "models/"+v.ID == p.Model
	}
	// Only local lists are complete: other servers also accept models that they do not list, such as dated ones.
	if len(views) == 0 || !isLoopback(p.BaseURL) || slices.ContainsFunc(views, has) {
		return true
	}
	return tr.fail(failure{
		step:    stepModels,
		message: fmt.Sprintf("the server has no model %q", p.Model),
		hint:    "choose one that it lists: " + listNames(views),
	})
}

// listNames joins the first names of models.
func listNames(views []api.ModelView) string {
	const maxNames = 5
	var names []string
	for _, v := range views {
		if len(names) == maxNames {
			return strings.Join(names, ", ") + " …"
		}
		names = append(names, v.ID)
	}
	return strings.Join(names, ", ")
}

// callTool asks the model to call a tool.
func (tr *testRun) callTool(ctx context.Context) (ok bool) {
	p := tr.c.provider
	wait := toolTimeout
	if isLoopback(p.BaseURL) {
		wait = localToolTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	m, err := tr.newClient(Choice{Provider: p}, tr.c.key)
	var reply goal.Reply
	if err == nil {
		tr.started = time.Now()
		reply, err = m.Turn(ctx, goal.Turn{
			Model:    p.Model,
			System:   "You test a connection. Call the tool report_ready once, with the word ready.",
			Messages: []goal.Message{{Role: goal.User, Text: "Call report_ready now."}},
			Tools: []goal.ToolSpec{{
				Name:        "report_ready",
				Description: "Reports that tools can be called.",
				Schema: json.RawMessage(
					`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`),
			}},
		}, nil)
	}
	if err != nil {
		return tr.fail(tr.describeFailure(*tr.c, err))
	}
	if len(reply.Calls) == 0 {
		return tr.fail(failure{
			step:     stepTools,
			message:  p.Model + " answered, but did not call a tool",
			hint:     "choose a model that supports tool calls; a local server may need them enabled",
			response: reply.Text,
		})
	}
	tr.result.LatencyMS = time.Since(tr.started).Milliseconds()
	tr.pass(stepTools, fmt.Sprintf("%s called a tool in %d ms", p.Model, tr.result.LatencyMS))
	return true
}

// describeWindow finds the context window of the tested model, and adds a note if it is only assumed.
func (tr *testRun) describeWindow(ctx context.Context) {
	p := tr.c.provider
	tr.window = server{p, tr.c.key, tr.Transport}.loadedWindow(ctx, p.Model) // the test has loaded it
	if tr.window == 0 {
		for _, m := range tr.serverModels {
			if m.id == p.Model || m.id == p.Model+":latest" {
				tr.window = m.window
			}
		}
	}
	for i := range tr.result.Models {
		v := &tr.result.Models[i]
		if tr.window > 0 && (v.ID == p.Model || v.ID == p.Model+":latest") && v.WindowFrom != api.WindowFromUser {
			v.ContextWindow, v.WindowFrom = tr.window, api.WindowFromServer
		}
	}
	if _, isKnown := model.ContextWindow(p.BaseURL, p.Model); tr.window == 0 && p.ContextWindow == 0 && !isKnown {
		tr.result.Notes = append(tr.result.Notes, fmt.Sprintf(
			"The context window of %s is unknown, so %d tokens are assumed. Enter the right value if you know it.", p.Model,
			model.DefaultContextWindow))
	}
}

// describeUnreachable returns the failure for a server that accepts no connection.
func (tr *testRun) describeUnreachable(err error) failure {
	p := tr.c.provider
	f := failure{
		step:     stepReach,
		message:  "Could not reach " + hostPort(p.BaseURL) + ".",
		hint:     "check the address and your network connection",
		response: fault.Of(err).Message,
	}
	if isLoopback(p.BaseURL) {
		f.hint = "is the server running there? Start it, then test again"
	}
	return f
}

// describeFailure explains to the user why a request failed and what to do.
func (pr *Providers) describeFailure(c connection, err error) failure {
	name := c.preset.Name
	if c.preset.ID == config.CustomPreset || name == "" {
		name = hostPort(c.provider.BaseURL)
	}
	var status int
	var response string
	var kind model.Kind // of a turn's error, which a gateway may send with the status 200
	var listing *serverError
	if errors.As(err, &listing) {
		status, response = listing.status, listing.response
	} else if e, ok := model.AsError(err); ok {
		status, response, kind = e.Status, e.Message, e.Kind
		if f, ok := describeModelError(name, c.provider, e); ok {
			return f
		}
	} else {
		return unreachable(name, c.provider, err)
	}
	newFailure := func(step, message, hint string) failure {
		return failure{step: step, message: message, hint: hint, status: status, response: response}
	}
	saysKey := strings.Contains(strings.ToLower(response), "api key") || strings.Contains(response, "API_KEY")
	switch {
	case kind == model.Auth, status == http.StatusUnauthorized, status == http.StatusForbidden,
		status == http.StatusBadRequest && saysKey:
		return rejectedKey(c, name, status, response)
	case kind == model.RateLimited, status == http.StatusTooManyRequests, status == http.StatusPaymentRequired:
		return failure{
			step:      stepTools,
			isWarning: status != http.StatusPaymentRequired && listing == nil,
			message:   "The key works, but its quota is used up.",
			hint:      "add credit at " + cmp.Or(c.preset.KeyPage, name) + ", or wait until the quota resets",
			status:    status,
			response:  response,
		}
	case listing != nil && status == http.StatusOK:
		return newFailure(stepModels, name+" did not answer with a list of models.",
			"check the address; it usually ends with /v1. Or enter a model name yourself")
	case listing != nil && status == http.StatusNotFound:
		return newFailure(stepModels, "No API at this address.",
			"check the address; it usually ends with /v1. Or enter a model name yourself")
	case listing != nil:
		return newFailure(stepModels, fmt.Sprintf("%s answered with an error (%d).", name, status),
			"try again later, or read the server's answer")
	}
	return newFailure(stepTools, fmt.Sprintf("%s refused the request.", cmp.Or(c.provider.Model, name)),
		"choose another model, one that supports tool calls")
}

// describeModelError describes the errors of a turn that do not depend on an HTTP status.
func describeModelError(name string, p config.Provider, e *model.Error) (f failure, ok bool) {
	newFailure := func(step, message, hint string) failure {
		return failure{step: step, message: message, hint: hint, status: e.Status, response: e.Message}
	}
	switch e.Kind {
	case model.Unreachable, model.Untrusted:
		return unreachable(name, p, e), true
	case model.Silent:
		return newFailure(stepTools, name+" did not answer in time.",
			"test again; a local server may still be loading the model"), true
	case model.Overloaded, model.Truncated:
		return newFailure(stepTools, name+" is currently overloaded or not working.", "test again in a minute"), true
	case model.InvalidReply:
		return newFailure(stepTools, name+" does not speak this protocol.", e.Hint), true
	case model.Mistaken:
		return newFailure(stepTools, "The model called the tool with an invalid format that "+name+" rejected.",
			"test again; if it fails each time, choose another model"), true
	case model.Auth, model.RateLimited, model.Refused, model.BadRequest, model.TooLong, model.NoVision:
	}
	return failure{}, false
}

func rejectedKey(c connection, name string, status int, response string) failure {
	f := failure{
		step:     stepKey,
		message:  name + " rejected this key.",
		hint:     "It may be incomplete, revoked, or belong to another account. Copy it again and paste it here.",
		status:   status,
		response: response,
	}
	switch {
	case c.key == "" && c.provider.APIKeyEnv != "":
		f.message = name + " needs a key, and " + c.provider.APIKeyEnv + " is not set."
		f.hint = "set " + c.provider.APIKeyEnv + " before Goalpost starts, or paste the key"
	case c.key == "":
		f.message, f.hint = name+" needs a key.", "paste the key, or name the environment variable that contains it"
	case c.provider.APIKeyEnv != "":
		f.message = name + " rejected the key in " + c.provider.APIKeyEnv + "."
		f.hint = "check " + c.provider.APIKeyEnv + ", or paste another key"
	}
	return f
}

// unreachable returns the failure of a request without an answer.
func unreachable(name string, p config.Provider, err error) failure {
	reason := err.Error()
	f := failure{
		step:     stepReach,
		message:  "Could not reach " + name + ".",
		hint:     "check the address and your network connection",
		response: reason,
	}
	if isLoopback(p.BaseURL) {
		f.hint = "is the server running there? Start it, then test again"
	}
	switch {
	case strings.Contains(reason, "x509") || strings.Contains(reason, "certificate"):
		f.message = "The certificate of " + name + " is not trusted."
		f.hint = "check the address; if your company issued the certificate, install its authority on this computer"
	case strings.Contains(reason, "HTTP response to HTTPS client"):
		f.message, f.hint = name+" does not speak HTTPS.", "begin the address with http://"
	case errors.Is(err, context.DeadlineExceeded):
		f.message = name + " accepts connections, but does not answer."
		f.hint = "is it a model server? Check the address and the server's own messages, then test again"
	}
	return f
}

// viewModels joins a server's list with the catalog. The recommended model is first, then the models of the catalog,
// then the others.
func viewModels(p config.Provider, list []listedModel) []api.ModelView {
	suggested := catalog.Suggested(p.BaseURL)
	views := []api.ModelView{}
	preset, _ := config.FindPreset(p.Preset)
	for _, m := range list {
		if m.isNotChat {
			continue
		}
		v := viewModel(p, m)
		v.Free = preset.IsLocal && isLoopback(p.BaseURL)
		v.Other = suggested != "" && v.Other || !v.Free && isNonTextModel(m.id)
		views = append(views, v)
	}
	if !preset.IsLocal {
		slices.SortStableFunc(views, func(a, b api.ModelView) int {
			if a.Other != b.Other {
				if a.Other {
					return 1
				}
				return -1
			}
			return cmp.Compare(b.ID, a.ID) // newer versions have higher numbers
		})
	}
	recommend(views, suggested)
	return views
}

// recommend moves the best model to the front: the suggested one, otherwise one that is known to call tools, otherwise
// the first that may. It marks a model only if something is known about it.
func recommend(views []api.ModelView, suggested string) {
	best := slices.IndexFunc(views, func(v api.ModelView) bool { return v.ID == suggested })
	if best < 0 {
		best = slices.IndexFunc(views, func(v api.ModelView) bool { return v.Tools == api.CanDo && !v.Other })
	}
	if best < 0 {
		best = slices.IndexFunc(views, func(v api.ModelView) bool { return v.Tools == api.CanDo })
	}
	isReasoned := best >= 0
	if best < 0 {
		best = slices.IndexFunc(views, func(v api.ModelView) bool { return v.Tools != "no" && !v.Other })
	}
	if best < 0 && len(views) > 0 {
		best = 0
	}
	if best < 0 {
		return
	}
	views[best].Recommended = isReasoned
	first := views[best]
	copy(views[1:best+1], views[:best])
	views[0] = first
}

// viewModel joins what a server and the catalog report about a model.
func viewModel(p config.Provider, m listedModel) api.ModelView {
	v := api.ModelView{
		ID:            m.id,
		ContextWindow: m.window,
		WindowFrom:    api.WindowFromServer,
		InputPrice:    m.inputPrice,
		OutputPrice:   m.outputPrice,
		Images:        m.images,
		Tools:         m.tools,
		Reasoning:     m.reasoning,
	}
	entry, isListed := catalog.Find(p.BaseURL, m.id)
	if isListed && entry.Price.IsKnown() {
		v.InputPrice, v.OutputPrice, v.CachedPrice = entry.Price.In, entry.Price.Out, entry.Price.CacheRead
	}
	v.Other = !isListed
	isKnown := isListed
	if !isListed {
		entry, isKnown = catalog.FindName(m.id)
	}
	if v.ContextWindow == 0 {
		v.ContextWindow, v.WindowFrom = model.DefaultContextWindow, api.WindowAssumed
		if isKnown && entry.Window > 0 {
			v.ContextWindow, v.WindowFrom = entry.Window, api.WindowFromCatalog
		}
	}
	if isKnown {
		v.Images, v.Reasoning = cmp.Or(v.Images, abilityOf(entry.Images)), cmp.Or(v.Reasoning, abilityOf(entry.Reasons))
		v.Tools = cmp.Or(v.Tools, api.CanDo) // the catalog lists models for agents
	}
	if m.id == p.Model && p.ContextWindow > 0 {
		v.ContextWindow, v.WindowFrom = p.ContextWindow, api.WindowFromUser
	}
	if m.id == p.Model && p.Price != nil {
		v.InputPrice, v.OutputPrice, v.CachedPrice = p.Price.Input, p.Price.Output, p.Price.CachedInput
	}
	return v
}

// isNonTextModel reports whether a name belongs to a model for embeddings, audio or images.
func isNonTextModel(id string) bool {
	name := strings.ToLower(id)
	return slices.ContainsFunc([]string{
		"embed", "whisper", "tts", "dall-e", "moderation", "realtime", "audio", "transcribe", "sora", "image", "rerank",
		"veo", "imagen",
	}, func(word string) bool { return strings.Contains(name, word) })
}
