package tools

import (
	"context"
	"errors"
	"fmt"
	"path"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/text"
)

// Access is the access to the user's machine, outside its folder, that a goal can ask for.
type Access interface {
	// Validate completes what would be opened, or returns why a goal never gets it.
	Validate(ctx context.Context, a policy.MachineAccess) (policy.MachineAccess, error)
	// Problem returns what prevents something that the user allowed from being opened.
	Problem(a policy.MachineAccess) error
}

type requestAccessArgs struct {
	Kind string `json:"kind" jsonschema:"read: a file or folder; write: a folder; socket: a Unix socket; port: a TCP port of this machine's 127.0.0.1"`
	Path string `json:"path,omitempty" jsonschema:"of read, write and socket: the absolute path"`
	Port int    `json:"port,omitempty" jsonschema:"of port: its number"`
	Why  string `json:"why" jsonschema:"what the goal needs it for, in a sentence that the user reads"`
}

func requestAccess(r Deps) (Tool, error) {
	wanted := func(ctx context.Context, args requestAccessArgs) (w policy.MachineAccess, err error) {
		w = policy.MachineAccess{Kind: policy.MachineAccessKind(args.Kind), Path: args.Path, Port: args.Port}
		switch {
		case r.Access == nil:
			return w, errors.New("there is nothing to ask for: these programs do not run in a goal's sandbox")
		case isBlank(args.Why):
			return w, errors.New("give a reason (why): the user decides by it")
		}
		switch w.Kind {
		case policy.PortAccess:
			if w.Path != "" || w.Port < 1 || w.Port > 65535 {
				return w, errors.New("give the port alone, a number from 1 to 65535")
			}
		case policy.ReadAccess, policy.WriteAccess, policy.SocketAccess:
			if !path.IsAbs(w.Path) || w.Port != 0 {
				return w, errors.New("give the path alone, the whole of it")
			}
			w.Path = path.Clean(w.Path)
		default:
			return w, fmt.Errorf("unknown kind %q: use read, write, socket or port", text.TruncateBytes(args.Kind, 20))
		}
		return r.Access.Validate(ctx, w)
	}
	return defineTool("request_access", func(ctx context.Context, args requestAccessArgs) (policy.Effect, error) {
		w, err := wanted(ctx, args)
		if err != nil {
			return policy.Effect{}, err
		}
		return policy.Effect{Risk: policy.ReadOnly, Access: &w, Reason: args.Why}, nil
	}, func(ctx context.Context, args requestAccessArgs) goal.Result {
		w, err := wanted(ctx, args)
		if err == nil {
			err = r.Access.Problem(w)
		}
		switch {
		case err != nil:
			return failedResult("the user allowed it, but it could not be opened: %v", err)
		case w.Kind == policy.WriteAccess:
			return ok("open for this goal: %s. A terminal or server that runs already may have to be started again before "+
				"it can write there.", w)
		}
		return ok("open for this goal: %s", w)
	})
}
