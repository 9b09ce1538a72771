//go:build ignore

// engines reads the output of `go test -json` of the tests of engines, and writes the table of docs/engines.md:
//
//	go test ./backend/app -run TestEngine -json | go run build/scripts/engines.go -write
//
// It exits with status 1 if a test failed; the table says which.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"
)

// file contains the table between the marks begin and end.
const (
	file  = "docs/engines.md"
	begin = "<!-- the table of make engines -->\n"
	end   = "<!-- end of the table -->\n"
)

// row is a scenario: the test with the real agents, and the test and name of its transcripts, "" if there is none.
type row struct{ words, real, shapes, scenario string }

const (
	shapes = "TestEngine_Shapes_ReachTheSameEnds"
	silent = "TestEngine_ShapesSilent_AreParkedWithTheirWords"
)

var rows = []row{
	{"done after a failed claim", "TestEngine_AgentClaimsTwice_IsDone", shapes, " done"},
	{"our tools over MCP: plan and terminal pane", "TestEngine_OurTools_DriveBrowserAndTerminal", shapes, " tools"},
	{"browser pane driven", "TestEngine_OurTools_DriveBrowserAndTerminal", "TestEngine_ShapesBrowser_DriveAPage", ""},
	{
		"permission asked: the user allows one and denies one", "TestEngine_PermissionAsked_UserDecides",
		"TestEngine_ShapesAsked_UserDecides", "",
	},
	{
		"permission denied by the policy, the agent continues", "TestEngine_PermissionDenied_AgentContinues", shapes,
		" denied",
	},
	{"abort in a tool", "TestEngine_AbortInATool_EndsTheAgent", shapes, " aborted"},
	{
		"pause and resume, a note", "TestEngine_PauseAndNote_ReachTheSession", "TestEngine_ShapesPaused_ContinueTheSession",
		"",
	},
	{"kill -9 of the agent", "TestEngine_AgentKilled_ContinuesItsSession", shapes, " killed"},
	{"kill -9 of the host", "TestEngine_HostKilled_ContinuesTheSession", "TestEngine_ShapesHostKilled_Continue", ""},
	{"limit of turns, with a last word", "TestEngine_Limit_EndsWithALastWord", shapes, " limit"},
	{"the end of a turn is no claim", "TestEngine_StopsWithoutClaim_IsStuck", shapes, " stuck"},
	{"outage of the provider parks", "TestEngine_ProviderOutage_Parks", "TestEngine_ShapesOutage_ParkAndContinue", ""},
	{"silent agent parked", "TestEngine_SilentAgent_IsParkedAndEnded", silent, ""},
	{
		"its shell reads neither the user's home nor the key", "TestEngine_SandboxHolds", "TestEngine_ShapesSandbox_Holds",
		"",
	},
	{
		"a command left running asks for its host", "TestEngine_HostOfACommandLeftRunning_IsAsked",
		"TestEngine_ShapesLeftRunning_AskForTheirHost", "",
	},
}

// agents lists the agents of the tests. Their transcripts are in the folders of backend/app/testdata/agents.
var agents = []struct{ id, name string }{
	{"opencode", "OpenCode 1.18.33"},
	{"claude", "Claude Code (adapter 0.101.0)"},
	{"codex", "Codex (adapter 2.6.0)"},
	{"codex-old", "Codex (old adapter 0.16.0)"},
	{"gemini", "Gemini CLI 0.61.0"},
}

func main() {
	results := map[string]string{}
	outputs := map[string]string{} // of the tests that have not passed
	failed := false
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e struct {
			Action, Test, Output string
			Elapsed              float64 // seconds
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text()) // of the compiler
			continue
		}
		switch e.Action {
		case "build-output":
			fmt.Print(e.Output)
		case "output":
			outputs[e.Test] += e.Output
		case "pass", "fail", "skip":
			results[e.Test] = e.Action
			if e.Action == "skip" && strings.Contains(outputs[e.Test], asksNothing) {
				results[e.Test] = asksNothing
			}
			failed = failed || e.Action == "fail"
			if e.Test != "" {
				fmt.Printf("%-4s %6.1f s  %s\n", e.Action, e.Elapsed, e.Test)
			}
			if e.Action != "pass" {
				fmt.Print(outputs[e.Test])
			}
			delete(outputs, e.Test)
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
	if len(results) < len(rows) { // the output is incomplete, so it cannot replace the table
		log.Fatalf("the tests did not run: %s stays as it was", file)
	}
	if slices.Contains(os.Args, "-write") {
		if err := write(table(results)); err != nil {
			log.Fatal(err)
		}
	}
	if failed || results[""] != "pass" {
		log.Fatal("a test failed")
	}
}

func table(results map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"Run of %s on Linux, with a scripted model. *yes*: the real agent did it. *transcript*: a scripted agent that "+
			"sends what\nthis agent was seen to send did it in the real sandbox; the agent itself did not run.\n\n",
		time.Now().UTC().Format("2006-01-02"))
	b.WriteString("| scenario")
	rule := "|---"
	for _, a := range agents {
		b.WriteString(" | " + a.name)
		rule += "|---"
	}
	b.WriteString(" |\n" + rule + "|\n")
	for _, r := range rows {
		b.WriteString("| " + r.words)
		for _, a := range agents {
			text := cell(results[r.real+"/"+a.id], "yes")
			if text == notRun && r.shapes != "" {
				text = cell(results[r.shapes+"/"+strings.ReplaceAll(a.id+r.scenario, " ", "_")], "transcript")
			}
			b.WriteString(" | " + text)
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

const (
	notRun      = "not run"
	asksNothing = "asks for nothing" // in the output of tests that are skipped for this
)

func cell(result, passed string) string {
	switch result {
	case "pass":
		return passed
	case "fail":
		return "**failed**"
	case asksNothing:
		return asksNothing
	}
	return notRun
}

// write replaces the table in the document.
func write(text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no marks for the table", file)
	}
	return os.WriteFile(file, []byte(head+begin+text+end+tail), 0o644)
}
