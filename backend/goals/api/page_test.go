package api_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
)

// TestTypes_MatchTheFrontend compares, field by field, every type that crosses the bridge with the type of the page, so
// that they stay the same.
func TestTypes_MatchTheFrontend(t *testing.T) {
	page := interfaces(pageTypes(t))
	for name, v := range map[string]any{
		"Problem":          fault.Error{},
		"StartInput":       api.StartInput{},
		"StartOutput":      api.StartOutput{},
		"StatusOutput":     api.StatusOutput{},
		"GoalCard":         api.GoalCard{},
		"CheckState":       api.CheckState{},
		"GoalView":         api.GoalView{},
		"TimelineEntry":    api.TimelineEntry{},
		"StepRow":          api.StepRow{},
		"StepView":         api.StepView{},
		"StepPage":         api.StepPage{},
		"ListInput":        api.ListInput{},
		"GoalList":         api.GoalList{},
		"EventPage":        api.EventPage{},
		"TryInput":         api.TryInput{},
		"TryOutput":        api.TryOutput{},
		"TraceView":        api.TraceView{},
		"TracedFiles":      api.TracedFiles{},
		"TracedFile":       api.TracedFile{},
		"ReceiptView":      api.ReceiptView{},
		"ReceiptClaim":     api.ReceiptClaim{},
		"ArgsOpenTerminal": api.ArgsOpenTerminal{},
		"ArgsOpenBrowser":  api.ArgsOpenBrowser{},
		"PaneList":         api.PaneList{},
		"Provider":         api.Provider{},
		"Finding":          api.DoctorFinding{},
		"Settings":         api.Settings{},
		"SuggestInput":     api.SuggestInput{},
		"SuggestOutput":    api.SuggestOutput{},
		"SuggestedCheck":   api.SuggestedCheck{},
		"SpendInput":       api.SpendInput{},
		"SpendReport":      api.SpendReport{},
		"SpendRow":         api.SpendRow{},
		"SpendToday":       api.SpendToday{},
		"EngineView":       api.EngineView{},
		"EngineTest":       api.EngineTest{},
		"EngineStage":      api.EngineStage{},
		"Worktree":         goal.Worktree{},
		"WorktreeOffer":    api.WorktreeOffer{},
		"WorktreeView":     api.WorktreeView{},
		"WorktreeRemoval":  api.WorktreeRemoval{},
		"Connection":       api.Connection{},
		"Check":            goal.Check{},
		"Verdict":          goal.Verdict{},
		"Policy":           policy.Policy{},
		"Options":          goal.CareOptions{},
		"Todo":             goal.Todo{},
		"ResumeInput":      api.ResumeInput{},
		"PruneInput":       api.PruneInput{},
		"PruneOutput":      api.PruneOutput{},
		"ProtectInput":     api.ProtectInput{},
		"ProtectedFile":    api.ProtectedFile{},
		"ProtectedVersion": api.ProtectedVersion{},
		"ProtectedChange":  api.ProtectedChange{},
		"ProtectedState":   api.ProtectedState{},
		"ProtectedRecord":  api.ProtectedRecord{},
		"RecheckOutput":    api.RecheckOutput{},
		"ProposalView":     api.ProposalView{},
		"ChangesView":      api.ChangesView{},
		"ChangedFile":      api.ChangedFile{},
		"FileSide":         api.FileSide{},
		"LeftOutPath":      api.LeftOutPath{},
		"CheckpointView":   api.CheckpointView{},
		"FileDiff":         api.FileDiff{},
		"UndoInput":        api.UndoInput{},
		"UndoOutput":       api.UndoOutput{},
		"ChangedPath":      api.ChangedPath{},
		"SkippedPath":      api.SkippedPath{},
		"Usage":            goal.Usage{},
		"PaneInfo":         pane.Info{},
		"PaneInput":        pane.Input{},
		"PanePoint":        pane.Point{},
		"PaneOverlay":      pane.Overlay{},
		"PaneQuestion":     pane.UserPrompt{},
		"PaneOption":       pane.Option{},
		"PaneAnswer":       pane.Answer{},
		"PaneDownload":     pane.Download{},
		"PaneCopied":       pane.Copied{},
		"ArgsUpload":       api.ArgsUpload{},
		"ArgsConnectSSH":   api.ArgsConnectSSH{},
		"ArgsDevTools":     api.ArgsDevTools{},
		"PagePoint":        browser.Point{},
		"Bookmark":         api.Bookmark{},
		"Visit":            api.Visit{},
		"FoundText":        api.FoundText{},
		"Site":             pane.Site{},
		"SiteCertificate":  pane.SiteCertificate{},
		"SitePermission":   pane.SitePermission{},
		"SSHServer":        pane.SSHServer{},
		"ArgsOpenSSH":      api.ArgsOpenSSH{},
		"ArgsAnswer":       api.ArgsAnswer{},
		"RemoteSession":    api.RemoteSession{},
		"PresetView":       api.PresetView{},
		"FoundServer":      api.FoundServer{},
		"ConnectInput":     api.ConnectInput{},
		"ConnectionTest":   api.ConnectionTest{},
		"TestStep":         api.TestStep{},
		"ModelView":        api.ModelView{},
		"ConnectOutput":    api.ConnectOutput{},
		"SecretPlace":      api.SecretPlace{},
		"SecretView":       api.SecretView{},
		"LoginView":        api.LoginView{},
		"SecretInput":      api.SecretInput{},
		"LoginInput":       api.LoginInput{},
		"ApprovalView":     api.ApprovalView{},
		"OfferView":        api.OfferView{},
		"GrantView":        api.GrantView{},
		"MCPServer":        api.MCPServer{},
		"MCPTool":          api.MCPTool{},
		"NetworkView":      api.NetworkView{},
		"NetworkHost":      api.NetworkHost{},
		"AnswerInput":      api.AnswerInput{},
		"RecordingView":    api.RecordingView{},
		"RecordedPane":     api.RecordedPane{},
		"RecordingPage":    api.RecordingPage{},
		"RecordView":       api.RecordView{},
	} {
		t.Run(name, func(t *testing.T) {
			want, have := fields(reflect.TypeOf(v)), page[name]
			if have == nil {
				t.Fatalf("bridge/types has no interface %s", name)
			}
			for _, f := range slices.Sorted(maps.Keys(want)) {
				if kind, ok := have[f]; !ok {
					t.Errorf("the page does not know %s.%s", name, f)
				} else if !fits(want[f], kind) {
					t.Errorf("%s.%s is %s in Go and %s in the page", name, f, want[f], kind)
				}
			}
			for f := range have {
				if _, ok := want[f]; !ok {
					t.Errorf("the page has %s.%s, which Go never sends", name, f)
				}
			}
		})
	}
}

// TestEvents_MatchTheFrontend looks for each event type in the page's union.
func TestEvents_MatchTheFrontend(t *testing.T) {
	source := pageTypes(t)
	for _, b := range event.BodyTypes() {
		if kind := b.EventType(); !strings.Contains(source, `"`+kind+`"`) && !strings.Contains(source, "\n  "+kind+": ") {
			t.Errorf("bridge/types does not know the event %s", b.EventType())
		}
	}
}

// pageTypes returns the files with the page's types of Go's structs, as one text.
func pageTypes(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../../frontend/src/bridge/types/*.ts")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all strings.Builder
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(source)
	}
	return all.String()
}

var (
	interfaceForm = regexp.MustCompile(`(?s)export interface (\w+)(?: extends (\w+))? \{\n(.*?)\n\}`)
	fieldForm     = regexp.MustCompile(`(?m)^  (\w+)\??: (.+);$`)
)

// interfaces parses the TypeScript interfaces: name → field → type.
func interfaces(source string) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, m := range interfaceForm.FindAllStringSubmatch(source, -1) {
		all[m[1]] = maps.Clone(all[m[2]])
		if all[m[1]] == nil {
			all[m[1]] = map[string]string{}
		}
		for _, f := range fieldForm.FindAllStringSubmatch(m[3], -1) {
			all[m[1]][f[1]] = f[2]
		}
	}
	return all
}

// fields returns the JSON fields of a Go type with their kinds, including embedded structs.
func fields(t reflect.Type) map[string]reflect.Kind {
	all := map[string]reflect.Kind{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			maps.Copy(all, fields(f.Type))
		case name != "" && name != "-":
			all[name] = f.Type.Kind()
		}
	}
	return all
}

// fits reports whether a Go kind matches a type of the page, where a string may be a named union.
func fits(k reflect.Kind, page string) bool {
	page = strings.TrimSuffix(page, " | null") // nil slices are null in JSON
	switch k {
	case reflect.Bool:
		return page == "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return page == "number"
	case reflect.Slice:
		return strings.HasSuffix(page, "[]") || strings.HasPrefix(page, "readonly ")
	case reflect.String:
		return page != "number" && page != "boolean" && !strings.HasSuffix(page, "[]")
	default:
		return page != "number" && page != "boolean" && page != "string"
	}
}
