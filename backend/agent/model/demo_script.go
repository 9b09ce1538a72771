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
func (d *demoScript) nextMove() demoMove {
	switch {
	case d.failures["write_file"] >= maxToolFailures:
		return d.giveUp("index.html cannot be written: " + d.problem["write_file"])
	case !d.isFileWritten:
		return demoMove{
			"I write the page with three prices and their total.", "write_file",
			map[string]any{"path": demoFile, "content": demoPage},
		}
	}
	if d.failedClaims > 0 {
		return d.repairPage()
	}
	if m, ok := d.showServer(); ok {
		return m
	}
	if d.canBrowse() && !d.opened {
		return demoMove{"The server runs. I open the page in a browser.", "browser_open", map[string]any{"url": d.address}}
	}
	return d.claim("The page is ready. I claim that the goal is reached.",
		"index.html holds three prices and their total.")
}

// showServer returns the next move that starts the server, false if there is nothing left to try.
func (d *demoScript) showServer() (demoMove, bool) {
	switch {
	case d.command == "" || d.isBroken("terminal_open") || d.isBroken("terminal_run") || d.address != "":
		return demoMove{}, false
	case d.terminal == "":
		return demoMove{"I open a terminal for a small web server.", "terminal_open", map[string]any{"title": "server"}}, true
	case !d.started:
		return demoMove{"I start the server there and wait for its address.", "terminal_run", map[string]any{
			"pane":         d.terminal,
			"command":      d.command,
			"wait_seconds": 2,
		}}, true
	case d.reads < 3:
		return demoMove{
			"It has not printed its address yet. I look again.", "terminal_read",
			map[string]any{"pane": d.terminal},
		}, true
	}
	d.problem["terminal_run"] = "the server printed no address"
	return demoMove{}, false
}

// repairPage returns the next move after a failed claim.
func (d *demoScript) repairPage() demoMove {
	switch {
	case d.failures["read_file"] >= maxToolFailures:
		return d.giveUp("index.html cannot be read: " + d.problem["read_file"])
	case d.failures["edit_file"] >= maxToolFailures:
		return d.giveUp("index.html cannot be changed: " + d.problem["edit_file"])
	case d.failedClaims > 1 && d.edited:
		return d.giveUp("the criterion still fails after the repair: " + d.reason)
	case d.content == "":
		return demoMove{
			"The check says that the total is wrong. I read the file to see why.", "read_file",
			map[string]any{"path": demoFile},
		}
	case !d.edited && strings.Contains(d.content, demoWrong):
		return demoMove{"12, 14 and 16 are 42, and the page says 41. I correct it.", "edit_file", map[string]any{
			"path": demoFile,
			"old":  demoWrong,
			"new":  demoRight,
		}}
	case !d.edited && !strings.Contains(d.content, demoRight):
		return d.giveUp("index.html is no longer what this script wrote, and a script cannot understand another page")
	}
	return d.viewPage()
}

// viewPage returns the next move that shows the repaired page before the second claim.
func (d *demoScript) viewPage() demoMove {
	if m, ok := d.showServer(); ok {
		return m
	}
	if d.canBrowse() {
		switch {
		case !d.reloaded && d.browser == "":
			return demoMove{"I open the page again to look at the repair.", "browser_open", map[string]any{"url": d.address}}
		case !d.reloaded:
			return demoMove{
				"I load the page again to look at the repair.", "browser_open",
				map[string]any{"url": d.address, "pane": d.browser},
			}
		case d.pageText == "" && !d.isBroken("browser_snapshot"):
			return demoMove{"I read what the page shows now.", "browser_snapshot", map[string]any{"pane": d.browser}}
		case !d.pictured && !d.isBroken("browser_screenshot"):
			return demoMove{"I store a picture of it in the journal.", "browser_screenshot", map[string]any{"pane": d.browser}}
		}
	}
	if strings.Contains(d.pageText, "42") {
		return d.claim("The page shows 42 now. I claim again.",
			"The total in index.html is 42, the sum of 12, 14 and 16; I looked at the page at "+d.address+" and it shows 42.")
	}
	return d.claim("The file says 42 now. I claim again.",
		"The total in index.html is 42, the sum of 12, 14 and 16. I did not see it in a browser.")
}

func (d *demoScript) canBrowse() bool { return d.address != "" && !d.isBroken("browser_open") }

// isBroken reports whether a tool failed too often to be tried again.
func (d *demoScript) isBroken(tool string) bool {
	return d.failures[tool] >= maxToolFailures || (d.problem[tool] != "" && d.failures[tool] == 0)
}

// claim returns the move that claims the goal, and names every part of the script that did not work.
func (d *demoScript) claim(text, rationale string) demoMove {
	for _, tool := range []string{
		"terminal_open", "terminal_run", "browser_open", "browser_snapshot",
		"browser_screenshot",
	} {
		if d.isBroken(tool) {
			rationale += " Left out: " + tool + " (" + d.problem[tool] + ")."
		}
	}
	if d.command == "" {
		rationale += " No server command was given, so the page was not served."
	}
	return demoMove{text, "claim_complete", map[string]any{"rationale": rationale}}
}

func (d *demoScript) giveUp(reason string) demoMove {
	lessons := "This was the scripted demonstration, no AI: it can do one thing only."
	if d.reason != "" {
		lessons += " The last verification said: " + d.reason
	}
	return demoMove{
		"I cannot continue with my script, so I stop and say why.", "abort_with_report",
		map[string]any{"reason": reason, "what_was_learned": lessons},
	}
}
