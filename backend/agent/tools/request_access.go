package tools

import (
	"context"
	"errors"
	"fmt"
	"path"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// Access handles requests of a goal for access to the user's machine outside its folder.
type Access interface {
	// Validate completes a request, or returns why a goal can never get this access.
	Validate(ctx context.Context, a policy.MachineAccess) (policy.MachineAccess, error)
	// Unlockable returns the path of a file of the goal's folder that only the user can let the agent change, because it
	// decides about the goal or could; "" for any other path.
	Unlockable(path string) (rel string)
	// Problem returns why access that the user allowed could not be opened, nil if it was.
	Problem(a policy.MachineAccess) error
}

type requestAccessArgs struct {
	Kind string `json:"kind"`
	Path string `json:"path,omitempty"`
	Port int    `json:"port,omitempty"`
	Why  string `json:"why"`
	// Content is the proposed content of a protected file.
	Content string `json:"content,omitempty"`
}

func requestAccess(r Deps) (Tool, error) {
	unlockable := func(args requestAccessArgs) string {
		if r.Access == nil || policy.MachineAccessKind(args.Kind) != policy.WriteAccess || isBlank(args.Why) {
			return ""
		}
		if !path.IsAbs(args.Path) {
			args.Path = path.Join(r.Dir, args.Path)
		}
		return r.Access.Unlockable(args.Path)
	}
	parseAccess := func(ctx context.Context, args requestAccessArgs) (w policy.MachineAccess, err error) {
		w = policy.MachineAccess{Kind: policy.MachineAccessKind(args.Kind), Path: args.Path, Port: args.Port}
		switch {
		case r.Access == nil:
			return w, errors.New("there is nothing to request: this goal's programs do not run in a sandbox")
		case isBlank(args.Why):
			return w, errors.New("give a reason (why), by which the user decides")
		}
		switch w.Kind {
		case policy.PortAccess:
			if w.Path != "" || w.Port < 1 || w.Port > 65535 {
				return w, errors.New("for a port, give only its number, from 1 to 65535")
			}
		case policy.ReadAccess, policy.WriteAccess, policy.SocketAccess:
			if !path.IsAbs(w.Path) || w.Port != 0 {
				return w, errors.New("for this kind, give only an absolute path")
			}
			w.Path = path.Clean(w.Path)
		default:
			return w, fmt.Errorf("unknown kind %q: use read, write, socket or port", text.TruncateBytes(args.Kind, 20))
		}
		return r.Access.Validate(ctx, w)
	}
	return defineTool("request_access", func(ctx context.Context, args requestAccessArgs) (policy.Effect, error) {
		if unlockable(args) != "" {
			return policy.Effect{Control: true}, nil
		}
		w, err := parseAccess(ctx, args)
		if err != nil {
			return policy.Effect{}, err
		}
		return policy.Effect{Risk: policy.ReadOnly, Access: &w, Reason: args.Why}, nil
	}, func(ctx context.Context, args requestAccessArgs) goal.Result {
		if file := unlockable(args); file != "" {
			return r.askUnlock(ctx, file, args)
		}
		w, err := parseAccess(ctx, args)
		if err == nil {
			err = r.Access.Problem(w)
		}
		switch {
		case err != nil:
			return failedResult("the user allowed it, but it could not be opened: %v", err)
		case w.Kind == policy.WriteAccess:
			return okResult("open for this goal: %s. A terminal or server that is already running may have to be restarted "+
				"before it can write there.", w)
		}
		return okResult("open for this goal: %s", w)
	})
}

// askUnlock asks the user to let the agent change a protected file, and shows the change that it proposes.
func (d Deps) askUnlock(ctx context.Context, file string, args requestAccessArgs) goal.Result {
	run, inRun := goal.RunOf(ctx)
	if !inRun {
		return failedResult("there is no goal whose user could be asked")
	}
	q := goal.Question{Text: fmt.Sprintf("May I change %s? %s", file, args.Why), Unlock: file}
	if args.Content != "" {
		q.Show = showWrite(d.folder, file, args.Content)
	}
	run.Control.AskUser(q)
	return okResult("the run pauses until the user answers; you get the answer as a message. If it is yes, change the " +
		"file then: nothing was written yet")
}
