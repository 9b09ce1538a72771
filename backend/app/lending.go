package app

import (
	"goalpost/backend/goal"
	"goalpost/backend/pane"
)

// lend lets a goal drive panes of the person, as it was given at its start. What
// has been closed since, or is lent already, is left out.
func (p *panes) lend(ids []string, id goal.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range ids {
		for _, info := range p.list {
			if info.ID == name && info.GoalID == "" {
				p.lent[name] = id
				info.GoalID = string(id)
				p.tell(info, false)
				break
			}
		}
	}
}

// takeBack ends it for everything that the goal was lent.
func (p *panes) takeBack(id goal.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, to := range p.lent {
		if to != id {
			continue
		}
		delete(p.lent, name)
		for _, info := range p.list {
			if info.ID == name {
				info.GoalID = ""
				p.tell(info, false)
				break
			}
		}
	}
}

// drives says whether the goal may drive a pane: it opened it, or was lent it.
func (p *panes) drives(id goal.ID, info pane.Info) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return info.GoalID == string(id) || p.lent[info.ID] == id
}
