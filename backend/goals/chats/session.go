package chats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/models"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/store"
)

// answerSession is the environment of one answer: its model, and the tools that a chat may use.
type answerSession struct {
	models runner.Models
	tools  []runner.Tool
	policy policy.Policy
	mask   *secret.Mask
	web    web
	set    *tools.Set
	empty  string // the folder of a chat that has none
}

func (se *answerSession) Models() runner.Models                  { return se.models }
func (se *answerSession) Tools() []runner.Tool                   { return se.tools }
func (se *answerSession) Judge() runner.Verifier                 { return nil } // nothing is claimed
func (se *answerSession) Folder() runner.FolderState             { return nil } // nothing changes
func (se *answerSession) Close(context.Context, goal.Exit) error { return se.close() }

// A chat uses no secret, and its model never reads the value of one.

func (se *answerSession) EnvironmentSecrets() []policy.SecretUse { return nil }

func (se *answerSession) SecretsIn(c goal.Call) ([]policy.SecretUse, error) {
	if len(secret.RefsJSON([]byte(c.Arguments))) > 0 {
		return nil, errors.New("a chat uses no secrets")
	}
	return nil, nil
}

func (se *answerSession) FillSecrets(_ context.Context, c goal.Call) (goal.Call, error) {
	return c, nil
}

func (se *answerSession) Redact(text string) string { return secret.MaskLikely(se.mask.Text(text)) }

// The tools of a chat, all of which only read: those of its folder, and those of the panes that were attached to it.
// read_evidence reads the whole of a result that was cut.
var (
	folderTools   = []string{"read_file", "list_files", "search_files"}
	terminalTools = []string{"terminal_read"}
	pageTools     = []string{"browser_read", "browser_find"}
	commonTools   = []string{"read_evidence"}
)

// openSession opens the environment of an answer.
func (s *Service) openSession(ctx context.Context, b begin, r *record) (*answerSession, error) {
	if err := s.loadSecrets(ctx); err != nil {
		s.Log.Warn("a secret cannot be opened, so its value is not hidden in chats", "error", err)
	}
	client, err := s.Models.NewClient(ctx, models.Choice{Provider: b.provider, Effort: b.chat.Effort})
	if err != nil {
		return nil, err
	}
	retrying := model.Retry{Model: client, Clock: s.Clock, OnWait: func(err error, wait time.Duration) {
		r.onRetry(fmt.Sprintf("%v; trying again in %s", err, goal.FormatDuration(wait)))
	}}
	metered := s.Models.Budget.Meter(retrying, b.provider, models.Spender{Role: "chat"})
	se := &answerSession{
		models: runner.Models{Agent: metered, Window: s.Models.Window(ctx, b.provider)},
		policy: policy.Policy{Dir: b.chat.Dir, Risk: policy.ReadOnly},
		mask:   s.Mask,
		web:    s.openWeb(),
	}
	if err := s.addTools(se, b.chat, attachedPanes(b.tree.path(r.message.ID))); err != nil {
		return nil, errors.Join(err, se.close())
	}
	return se, nil
}

// loadSecrets opens the user's secrets, so that their values can be hidden.
func (s *Service) loadSecrets(ctx context.Context) error {
	const unlockTimeout = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, unlockTimeout)
	defer cancel()
	return s.Secrets.LoadAll(ctx)
}

// addTools adds the tools of a chat to a session. The folder may have been deleted since.
func (s *Service) addTools(se *answerSession, c chat.Chat, attached []string) error {
	deps := tools.Deps{Dir: c.Dir, PDFs: s.PDFs, Web: se.web.proxy.Transport()}
	names := slices.Concat(commonTools, webTools)
	if c.Dir != "" {
		names = append(names, folderTools...)
	} else {
		var err error
		if se.empty, err = os.MkdirTemp(s.Config.State(), "chat-*"); err != nil {
			return fmt.Errorf("a folder for a chat without one: %w", err)
		}
		deps.Dir = se.empty
	}
	if len(attached) > 0 {
		names = append(append(names, terminalTools...), pageTools...)
		deps.Terminals, deps.Browsers = chatTerminals{panes: s.Panes, ids: attached}, chatPages{panes: s.Panes, ids: attached}
	}
	var err error
	if se.set, err = tools.New(deps); err != nil {
		return err
	}
	se.policy.AllowTools = names
	for _, t := range se.set.Tools() {
		switch name := t.Spec().Name; {
		case !slices.Contains(names, name):
			continue
		case slices.Contains(pageTools, name):
			t = pageTool{t}
		case slices.Contains(webTools, name):
			t = webTool{t}
		}
		se.tools = append(se.tools, t)
	}
	return nil
}

// close ends what the session has opened.
func (se *answerSession) close() error {
	err := se.web.proxy.Close()
	if se.set != nil {
		err = errors.Join(err, se.set.Close())
	}
	if se.empty != "" {
		err = errors.Join(err, os.Remove(se.empty))
	}
	return err
}

// attachedPanes returns the panes that the user attached to the messages of a branch.
func attachedPanes(path []*store.ChatMessage) []string {
	var ids []string
	for _, m := range path {
		for _, a := range m.Attachments {
			if a.Pane != "" && !slices.Contains(ids, a.Pane) {
				ids = append(ids, a.Pane)
			}
		}
	}
	return ids
}

const defaultRounds = 20

// rounds returns how many rounds of tools an answer may have.
func (s *Service) rounds() int { return cmp.Or(s.Config.Settings().ChatRounds, defaultRounds) }

// evidence reads the whole results of calls that an answer saw only in part, in its branch.
type evidence struct {
	path   []*store.ChatMessage
	record *record
}

func (e evidence) ReadEvidence(_ context.Context, _ goal.ID, handle string) ([]byte, error) {
	var step int
	if _, err := fmt.Sscanf(handle, "step:%d", &step); err == nil {
		all := e.record.copyEntries()
		for _, m := range e.path {
			all = append(all, m.Entries...)
		}
		for _, one := range all {
			if one.Message.Role == goal.ToolRole && one.Message.Step == step {
				if one.Whole != "" {
					return []byte(one.Whole), nil
				}
				return []byte(goal.UnwrapEnvelope(one.Message.Text)), nil
			}
		}
	}
	return nil, fmt.Errorf("there is no stored result %q", handle)
}
