package models

import (
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/config"
)

// role is what a model other than the goal's own may do.
type role struct {
	field   string // of a request
	model   *string
	setting func(config.Settings) string
}

// rolesOf lists the roles of a goal, except that of a fallback.
func rolesOf(o *goal.Options) []role {
	return []role{
		{"critic", &o.Critic, func(s config.Settings) string { return s.CriticModel }},
		{"judge", &o.Judge, func(s config.Settings) string { return s.JudgeModel }},
		{"reviewer", &o.Reviewer, func(s config.Settings) string { return s.ReviewModel }},
		{"vision", &o.Vision, func(s config.Settings) string { return s.VisionModel }},
		{"summary", &o.Summary, func(s config.Settings) string { return s.SummaryModel }},
	}
}

// chooseRoles gives a goal the models of the settings for the roles for which it names none. A scripted goal asks no
// model unless the user names it.
func (pr *Providers) chooseRoles(g *goal.Goal, own config.Provider) error {
	if g.Scripted {
		return nil
	}
	s := pr.Config.Settings()
	for _, r := range rolesOf(&g.Options) {
		if *r.model == "" {
			*r.model = r.setting(s)
		}
	}
	if s.FallbackModel == "" || len(g.Options.Fallbacks) > 0 {
		return nil
	}
	p, err := pr.Find(s.FallbackModel, own)
	if err == nil && (p.ID != own.ID || p.Model != own.Model) {
		g.Options.Fallbacks = []string{s.FallbackModel}
	}
	return err
}

// ForChat returns the provider that answers in a chat, with its model: those of the chat, otherwise those of the
// settings.
func (pr *Providers) ForChat(id, name string) (config.Provider, error) {
	if id == "" && name == "" {
		name = pr.Config.Settings().ChatModel
	}
	return pr.Chosen(id, name)
}
