package model

import "strings"

const (
	demoFile  = "index.html"
	demoWrong = `id="total">41<`
	demoRight = `id="total">42<`
)

// demoPage has a total of 41 for 12, 14 and 16.
const demoPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Price list</title>
<style>
  body {
    font: 18px/1.5 system-ui, sans-serif; background: #f4f1ea; color: #23211d;
    display: grid; place-items: center; min-height: 100vh; margin: 0
  }
  main { background: #fff; padding: 2rem 3rem; border-radius: 12px; box-shadow: 0 8px 30px #0002 }
  h1 { margin: 0 0 1rem; font-size: 1.4rem }
  td { padding: .35rem 0; min-width: 9rem; border-bottom: 1px solid #eee }
  td + td { text-align: right; min-width: 4rem; font-variant-numeric: tabular-nums }
  tr:last-child td { font-weight: 700; border: 0 }
</style>
<main>
<h1>Price list</h1>
<table>
<tr><td>Bread</td><td>12</td></tr>
<tr><td>Cheese</td><td>14</td></tr>
<tr><td>Olives</td><td>16</td></tr>
<tr><td>Total</td><td id="total">41</td></tr>
</table>
</main>
</html>
`

// nextMove returns the first move of the script that is still necessary.
func (s *demoScript) nextMove() demoMove {
	switch {
	case s.failures["write_file"] >= maxToolFailures:
		return s.giveUp("index.html cannot be written: " + s.problem["write_file"])
	case !s.written:
		return demoMove{
			"I write the page with three prices and their total.", "write_file",
			map[string]any{"path": demoFile, "content": demoPage},
		}
	}
	if s.refused > 0 {
		return s.repairPage()
	}
	if m, ok := s.showServer(); ok {
		return m
	}
	if s.canBrowse() && !s.opened {
		return demoMove{"The server runs. I open the page in a browser.", "browser_open", map[string]any{"url": s.address}}
	}
	return s.claim("The page is ready. I claim that the goal is reached.",
		"index.html holds three prices and their total.")
}

// showServer returns the next move that starts the server, false if there is nothing left to try.
func (s *demoScript) showServer() (demoMove, bool) {
	switch {
	case s.command == "" || s.isBroken("terminal_open") || s.isBroken("terminal_run") || s.address != "":
		return demoMove{}, false
	case s.terminal == "":
		return demoMove{"I open a terminal for a small web server.", "terminal_open", map[string]any{"title": "server"}}, true
	case !s.started:
		return demoMove{"I start the server there and wait for its address.", "terminal_run", map[string]any{
			"pane":         s.terminal,
			"command":      s.command,
			"wait_seconds": 2,
		}}, true
	case s.reads < 3:
		return demoMove{
			"It has not printed its address yet. I look again.", "terminal_read",
			map[string]any{"pane": s.terminal},
		}, true
	}
	s.problem["terminal_run"] = "the server printed no address"
	return demoMove{}, false
}

// repairPage returns the next move after a failed claim.
func (s *demoScript) repairPage() demoMove {
	switch {
	case s.failures["read_file"] >= maxToolFailures:
		return s.giveUp("index.html cannot be read: " + s.problem["read_file"])
	case s.failures["edit_file"] >= maxToolFailures:
		return s.giveUp("index.html cannot be changed: " + s.problem["edit_file"])
	case s.refused > 1 && s.edited:
		return s.giveUp("the criterion still fails after the repair: " + s.reason)
	case s.content == "":
		return demoMove{
			"The check says that the total is wrong. I read the file to see why.", "read_file",
			map[string]any{"path": demoFile},
		}
	case !s.edited && strings.Contains(s.content, demoWrong):
		return demoMove{"12, 14 and 16 are 42, and the page says 41. I correct it.", "edit_file", map[string]any{
			"path": demoFile,
			"old":  demoWrong,
			"new":  demoRight,
		}}
	case !s.edited && !strings.Contains(s.content, demoRight):
		return s.giveUp("index.html is no longer what this script wrote, and a script cannot understand another page")
	}
	return s.viewPage()
}

// viewPage returns the next move that shows the repaired page before the second claim.
func (s *demoScript) viewPage() demoMove {
	if m, ok := s.showServer(); ok {
		return m
	}
	if s.canBrowse() {
		switch {
		case !s.reloaded && s.browser == "":
			return demoMove{"I open the page again to look at the repair.", "browser_open", map[string]any{"url": s.address}}
		case !s.reloaded:
			return demoMove{
				"I load the page again to look at the repair.", "browser_open",
				map[string]any{"url": s.address, "pane": s.browser},
			}
		case s.seen == "" && !s.isBroken("browser_snapshot"):
			return demoMove{"I read what the page shows now.", "browser_snapshot", map[string]any{"pane": s.browser}}
		case !s.pictured && !s.isBroken("browser_screenshot"):
			return demoMove{"I store a picture of it in the journal.", "browser_screenshot", map[string]any{"pane": s.browser}}
		}
	}
	if strings.Contains(s.seen, "42") {
		return s.claim("The page shows 42 now. I claim again.",
			"The total in index.html is 42, the sum of 12, 14 and 16; I looked at the page at "+s.address+" and it shows 42.")
	}
	return s.claim("The file says 42 now. I claim again.",
		"The total in index.html is 42, the sum of 12, 14 and 16. I did not see it in a browser.")
}

func (s *demoScript) canBrowse() bool { return s.address != "" && !s.isBroken("browser_open") }

// isBroken reports whether a tool failed too often to be tried again.
func (s *demoScript) isBroken(tool string) bool {
	return s.failures[tool] >= maxToolFailures || (s.problem[tool] != "" && s.failures[tool] == 0)
}

// claim returns the move that claims the goal, and names every part of the script that did not work.
func (s *demoScript) claim(text, rationale string) demoMove {
	for _, tool := range []string{
		"terminal_open", "terminal_run", "browser_open", "browser_snapshot",
		"browser_screenshot",
	} {
		if s.isBroken(tool) {
			rationale += " Left out: " + tool + " (" + s.problem[tool] + ")."
		}
	}
	if s.command == "" {
		rationale += " No server command was given, so the page was not served."
	}
	return demoMove{text, "claim_complete", map[string]any{"rationale": rationale}}
}

func (s *demoScript) giveUp(reason string) demoMove {
	learned := "This was the scripted demonstration, no AI: it can do one thing only."
	if s.reason != "" {
		learned += " The last verification said: " + s.reason
	}
	return demoMove{
		"I cannot continue with my script, so I stop and say why.", "abort_with_report",
		map[string]any{"reason": reason, "what_was_learned": learned},
	}
}
