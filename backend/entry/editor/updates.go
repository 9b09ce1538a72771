package editor

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// The ids of two options of a permission request. The other options have the name of their scope as id.
const (
	allowOption sdk.PermissionOptionId = "once"
	denyOption  sdk.PermissionOptionId = "deny"
)

// Limits of the updates for one turn.
const (
	maxTitle       = 200 // bytes
	maxShownFiles  = 30
	maxShownUpdate = 256 << 10 // bytes of one side of a diff
)

// describeEvent converts an event of a goal to updates for the editor. dir is the goal's folder.
func describeEvent(dir string, body event.Body) []sdk.SessionUpdate {
	switch b := body.(type) {
	case *event.Message:
		if b.Message.Role == goal.Assistant && b.Message.Text != "" {
			return []sdk.SessionUpdate{sdk.UpdateAgentMessageText(b.Message.Text + "\n\n")}
		}
	case *event.Steered:
		return []sdk.SessionUpdate{sdk.UpdateAgentThoughtText("Note read: " + b.Text + "\n\n")}
	case *event.Warning:
		return []sdk.SessionUpdate{sdk.UpdateAgentThoughtText(b.Text + "\n\n")}
	case *event.Queued:
		return []sdk.SessionUpdate{sdk.UpdateAgentThoughtText("Waiting: " + b.Reason + "\n\n")}
	case *event.Todos:
		return []sdk.SessionUpdate{sdk.UpdatePlan(planEntries(b.Items)...)}
	case *event.StepStarted:
		return []sdk.SessionUpdate{startCall(dir, b)}
	case *event.Step:
		status := sdk.ToolCallStatusCompleted
		if b.Outcome != event.OK {
			status = sdk.ToolCallStatusFailed
		}
		update := []sdk.ToolCallUpdateOpt{sdk.WithUpdateStatus(status)}
		if b.Preview != "" && toolKind(b.Tool) != sdk.ToolKindEdit {
			update = append(update, sdk.WithUpdateContent([]sdk.ToolCallContent{
				sdk.ToolContent(sdk.TextBlock(fence(b.Preview))),
			}))
		}
		return []sdk.SessionUpdate{sdk.UpdateToolCall(stepID(b.StepID), update...)}
	case *event.Verdict:
		return []sdk.SessionUpdate{describeVerdict(b)}
	case *event.Paused:
		return []sdk.SessionUpdate{sdk.UpdateAgentMessageText(describeStop("Paused: "+b.Reason, b.Result, nil))}
	case *event.Ended:
		word := "Stopped"
		if b.Exit == goal.Done {
			word = "Done"
		}
		return []sdk.SessionUpdate{sdk.UpdateAgentMessageText(describeStop(word, b.Result, b.Report))}
	}
	return nil
}

func planEntries(items []goal.Todo) []sdk.PlanEntry {
	entries := make([]sdk.PlanEntry, 0, len(items))
	hasBegun := false
	for _, item := range items {
		status := sdk.PlanEntryStatusPending
		switch {
		case item.Done:
			status = sdk.PlanEntryStatusCompleted
		case !hasBegun:
			hasBegun, status = true, sdk.PlanEntryStatusInProgress
		}
		entries = append(entries, sdk.PlanEntry{Content: item.Text, Priority: sdk.PlanEntryPriorityMedium, Status: status})
	}
	return entries
}

func stepID(n int) sdk.ToolCallId { return sdk.ToolCallId(fmt.Sprintf("step-%d", n)) }

// callArguments are the arguments of tools that the editor can show.
type callArguments struct {
	Path    string  `json:"path"`
	Command string  `json:"command"`
	URL     string  `json:"url"`
	Old     string  `json:"old"`
	New     *string `json:"new"`
	Content *string `json:"content"`
}

// startCall returns the update for a new call, with a diff if it edits a file.
func startCall(dir string, b *event.StepStarted) sdk.SessionUpdate {
	var args callArguments
	_ = json.Unmarshal([]byte(b.Arguments), &args) // other tools have other arguments
	title := strings.ReplaceAll(b.Tool, "_", " ")
	for _, word := range []string{args.Command, args.Path, args.URL} {
		if word != "" {
			title += " " + word
			break
		}
	}
	opts := []sdk.ToolCallStartOpt{
		sdk.WithStartKind(toolKind(b.Tool)),
		sdk.WithStartStatus(sdk.ToolCallStatusInProgress),
		sdk.WithStartRawInput(json.RawMessage(jsonOrEmpty(b.Arguments))),
	}
	if args.Path != "" {
		path := args.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		opts = append(opts, sdk.WithStartLocations([]sdk.ToolCallLocation{{Path: path}}))
		switch {
		case toolKind(b.Tool) != sdk.ToolKindEdit:
		case args.New != nil:
			opts = append(opts, sdk.WithStartContent([]sdk.ToolCallContent{sdk.ToolDiffContent(path, *args.New, args.Old)}))
		case args.Content != nil:
			opts = append(opts, sdk.WithStartContent([]sdk.ToolCallContent{sdk.ToolDiffContent(path, *args.Content)}))
		}
	}
	return sdk.StartToolCall(stepID(b.StepID), text.TruncateBytes(title, maxTitle), opts...)
}

func jsonOrEmpty(arguments string) string {
	if json.Valid([]byte(arguments)) {
		return arguments
	}
	return "{}"
}

// toolKind returns the kind of a tool, from which the editor chooses an icon.
func toolKind(tool string) sdk.ToolKind {
	switch tool {
	case "write_file", "edit_file", "agent_edit":
		return sdk.ToolKindEdit
	case "read_file", "list_files", "read_evidence", "agent_read":
		return sdk.ToolKindRead
	case "search_files", "find_files":
		return sdk.ToolKindSearch
	case "run_command", "agent_run":
		return sdk.ToolKindExecute
	case "agent_fetch", "fetch_url", "web_search":
		return sdk.ToolKindFetch
	}
	switch {
	case strings.HasPrefix(tool, "terminal_"):
		return sdk.ToolKindExecute
	case strings.HasPrefix(tool, "browser_"):
		return sdk.ToolKindFetch
	}
	return sdk.ToolKindOther
}

// describeVerdict returns the update for a check of a claim, in the form of a call by the host.
func describeVerdict(b *event.Verdict) sdk.SessionUpdate {
	status := sdk.ToolCallStatusFailed
	if b.Outcome == goal.Pass {
		status = sdk.ToolCallStatusCompleted
	}
	detail := b.Detail
	if b.Tail != "" {
		detail += "\n" + b.Tail
	}
	return sdk.StartToolCall(sdk.ToolCallId(fmt.Sprintf("claim-%d-check-%d", b.Claim, b.Check)),
		text.TruncateBytes(fmt.Sprintf("Check of claim %d: %s: %s", b.Claim, b.Name, b.Outcome), maxTitle),
		sdk.WithStartKind(sdk.ToolKindExecute), sdk.WithStartStatus(status),
		sdk.WithStartContent([]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(fence(detail)))}))
}

// describeStop joins why a goal stopped, the agent's result and the host's report.
func describeStop(word, result string, report []string) string {
	parts := word
	if result != "" {
		parts += "\n\n" + result
	}
	if len(report) > 0 {
		parts += "\n\nReport of the host:\n\n- " + strings.Join(report, "\n- ")
	}
	return parts + "\n\n"
}

// ask asks the user of the editor about a call. If the prompt ends first, the approval waits in the window.
func (a *Agent) ask(ctx context.Context, s savedSession, request goal.Approval) {
	content := "```json\n" + jsonOrEmpty(request.Arguments) + "\n```"
	if request.Show != "" {
		content = fence(request.Show)
	}
	ask := sdk.RequestPermissionRequest{
		SessionId: s.ID,
		ToolCall: sdk.ToolCallUpdate{
			ToolCallId: sdk.ToolCallId("approval-" + request.ID),
			Title:      sdk.Ptr(text.TruncateBytes(strings.ReplaceAll(request.Tool, "_", " ")+": "+request.Why, maxTitle)),
			Kind:       sdk.Ptr(toolKind(request.Tool)),
			Status:     sdk.Ptr(sdk.ToolCallStatusPending),
			RawInput:   json.RawMessage(jsonOrEmpty(request.Arguments)),
			Content:    []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(content))},
		},
	}
	for _, offer := range request.Offers {
		option := sdk.PermissionOption{
			OptionId: sdk.PermissionOptionId(offer.Scope),
			Name:     "Allow " + offer.Describe(),
			Kind:     sdk.PermissionOptionKindAllowAlways, // for the rest of the goal
		}
		if offer.Scope == policy.ScopeOnce {
			option.OptionId, option.Name, option.Kind = allowOption, "Allow once", sdk.PermissionOptionKindAllowOnce
		}
		ask.Options = append(ask.Options, option)
	}
	ask.Options = append(ask.Options, sdk.PermissionOption{
		OptionId: denyOption, Name: "Deny", Kind: sdk.PermissionOptionKindRejectOnce,
	})
	answer, err := a.conn.RequestPermission(ctx, ask)
	if err != nil || answer.Outcome.Selected == nil {
		return // not decided: the approval stays open
	}
	order := goal.Order{
		Kind:    goal.OrderApprove,
		Request: request.ID,
		Scope:   policy.Scope(answer.Outcome.Selected.OptionId),
	}
	if answer.Outcome.Selected.OptionId == denyOption {
		order = goal.Order{Kind: goal.OrderDeny, Request: request.ID, Text: "the user denied it in the editor"}
	}
	if err := a.deps.Goals.Answer(context.WithoutCancel(ctx), s.Goal, order); err != nil {
		a.say(context.WithoutCancel(ctx), s.ID, "The answer was not used: "+door.Explain(err))
	}
}

// showChanges shows the files that have changed since the start of the goal as one call with diffs.
func (a *Agent) showChanges(ctx context.Context, s savedSession) {
	changes, err := a.deps.Changes.List(string(s.Goal), nil)
	if err != nil || len(changes.Files) == 0 {
		return
	}
	var content []sdk.ToolCallContent
	for _, f := range changes.Files[:min(maxShownFiles, len(changes.Files))] {
		diff, err := a.deps.Changes.File(string(s.Goal), f.Path)
		if err != nil || !diff.IsText || len(diff.Was) > maxShownUpdate || len(diff.Is) > maxShownUpdate {
			content = append(content, sdk.ToolContent(sdk.TextBlock(f.Change+": "+f.Path)))
			continue
		}
		path := filepath.Join(changes.Dir, filepath.FromSlash(f.Path))
		if f.Before.Type == "" {
			content = append(content, sdk.ToolDiffContent(path, diff.Is))
		} else {
			content = append(content, sdk.ToolDiffContent(path, diff.Is, diff.Was))
		}
	}
	if more := len(changes.Files) - maxShownFiles; more > 0 {
		content = append(content, sdk.ToolContent(sdk.TextBlock(fmt.Sprintf("and %d more", more))))
	}
	a.update(ctx, s.ID, sdk.StartToolCall(sdk.ToolCallId(fmt.Sprintf("changes-%d", len(changes.Checkpoints))),
		"Changes since the start of the goal: "+goal.FormatCount(len(changes.Files), "file"),
		sdk.WithStartKind(sdk.ToolKindEdit), sdk.WithStartStatus(sdk.ToolCallStatusCompleted),
		sdk.WithStartContent(content)))
}

func (a *Agent) say(ctx context.Context, id sdk.SessionId, text string) {
	a.update(ctx, id, sdk.UpdateAgentMessageText(text+"\n\n"))
}

// fence puts a text in a code block of Markdown that the text cannot end.
func fence(text string) string {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks
}
