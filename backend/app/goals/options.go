package goals

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"goalpost/backend/api"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/runner/prompt"
)

// optionsOf is how the user wants the goal looked after, or a refusal.
func (gi *intake) optionsOf(ctx context.Context, in api.StartInput) (o goal.CareOptions, err error) {
	o = goal.CareOptions{
		Persona:        in.Persona,
		Effort:         in.Effort,
		CriticEvery:    in.CriticEvery,
		CriticProvider: in.CriticProvider,
		JudgeProvider:  in.JudgeProvider,
		Review:         in.Review,
		Panes:          in.Panes,
		Protect:        in.Protect,
		NoProtect:      in.NoProtect,
		OnAsk:          in.OnAsk,
		CheckOutput:    in.CheckOutput,
		AllowPassing:   in.AllowPassing,
		AllowMissing:   in.AllowMissing,
	}
	switch {
	case in.CriticEvery == 0:
		o.CriticEvery = goal.DefaultCriticEvery
	case in.CriticEvery == api.NoLimit:
		o.CriticEvery = 0
	case in.CriticEvery < 0:
		return o, &fault.Error{
			Field:   "critic_every",
			Message: "the critic cannot look every " + fmt.Sprint(in.CriticEvery) + " steps",
			Hint:    "give a number of steps, or 0 for no critic",
		}
	}
	if err := validateChoices(o); err != nil {
		return o, err
	}
	if o.After, err = gi.resolveDependencies(ctx, in.After); err != nil {
		return o, err
	}
	return o, gi.panes.ValidateShareable(o.Panes)
}

func validateChoices(o goal.CareOptions) error {
	if known := prompt.Personas(); o.Persona != "" && !slices.Contains(known, o.Persona) {
		return &fault.Error{
			Field:   "persona",
			Message: fmt.Sprintf("there is no persona %q", o.Persona),
			Hint:    "use one of " + strings.Join(known, ", "),
		}
	}
	if !slices.Contains([]goal.ReviewMode{goal.ReviewAuto, goal.ReviewAlways, goal.ReviewNever}, o.Review) {
		return &fault.Error{
			Field:   "review",
			Message: fmt.Sprintf("unknown choice %q", o.Review),
			Hint:    "use always or never, or leave it to the host",
		}
	}
	if o.CheckOutput != goal.CheckOutputDefault && !slices.Contains(goal.CheckOutputs(), o.CheckOutput) {
		return &fault.Error{
			Field:   "check_output",
			Message: fmt.Sprintf("unknown choice %q", o.CheckOutput),
			Hint:    "use exit, names or full",
		}
	}
	if !slices.Contains([]string{"", "park", "deny", "allow"}, o.OnAsk) {
		return &fault.Error{
			Field:   "on_ask",
			Message: fmt.Sprintf("unknown choice %q", o.OnAsk),
			Hint:    "use park, deny or allow",
		}
	}
	for _, glob := range slices.Concat(o.Protect, o.NoProtect) {
		if err := validateGlob(glob); err != nil {
			return err
		}
	}
	return nil
}

// validateGlob refuses a pattern that no file inside the folder can fit.
func validateGlob(glob string) error {
	refuse := func(reason string) error {
		return &fault.Error{
			Field:   "protect",
			Message: fmt.Sprintf("the pattern %q %s", glob, reason),
			Hint:    "write one relative to the goal's folder, such as tests/**",
		}
	}
	switch clean := path.Clean(glob); {
	case strings.TrimSpace(glob) == "":
		return refuse("is empty")
	case path.IsAbs(glob), clean == "..", strings.HasPrefix(clean, "../"):
		return refuse("leaves the goal's folder")
	}
	if _, err := path.Match(glob, ""); err != nil {
		return refuse("cannot be read")
	}
	return nil
}

// resolveDependencies finds the goals that must be done first. They are older than this one
// and their own list is frozen, so no circle can come about.
func (gi *intake) resolveDependencies(ctx context.Context, parts []string) ([]goal.ID, error) {
	var ids []goal.ID
	for _, part := range parts {
		row, err := gi.store.Find(ctx, part)
		if err != nil {
			return nil, &fault.Error{Field: "after", Message: err.Error(), Hint: "list shows the goals there are"}
		}
		if !slices.Contains(ids, row.ID) {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}
