package commandline_test

import (
	"reflect"
	"strings"
	"testing"

	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/domain/policy"
)

func TestAnalyze_CommandLine_ListsCommandsAndDeletes(t *testing.T) {
	for line, want := range map[string]struct {
		commands [][]string
		deletes  []string
	}{
		"ls -l":          {[][]string{{"ls", "-l"}}, nil},
		"cd sub && rm a": {[][]string{{"cd", "sub"}, {"rm", "a"}}, []string{"/goal/sub/a"}},
		"sudo sh -c 'rm -rf ~'": {
			[][]string{{"sudo", "sh", "-c", "rm -rf ~"}, {"sh", "-c", "rm -rf ~"}, {"rm", "-rf", "~"}},
			[]string{"/~"},
		},
		"find logs -delete":      {[][]string{{"find", "logs", "-delete"}}, []string{"/goal/logs", "/goal/logs/*"}},
		"mv a b":                 {[][]string{{"mv", "a", "b"}}, []string{"/goal/a"}},
		"ssh host rm x":          {[][]string{{"ssh", "host", "rm", "x"}, {"rm", "x"}}, []string{"/host:/x"}},
		"git -c alias.p='!ls' p": {[][]string{{"git", "-c", "alias.p=!ls", "p"}, {"ls"}}, nil},
	} {
		e := commandline.Analyze("/goal", line).Effect(line, policy.WriteLocal)
		if !reflect.DeepEqual(e.Commands, want.commands) || !reflect.DeepEqual(e.Deletes, want.deletes) {
			t.Errorf("%s: commands %q, deletes %q; want %q and %q", line, e.Commands, e.Deletes, want.commands, want.deletes)
		}
		if e.CommandLine != line || e.Risk != policy.WriteLocal || e.Unparsed != "" {
			t.Errorf("%s: %+v", line, e)
		}
	}
}

func TestAnalyze_ShellsInShells_GivesUp(t *testing.T) {
	line := strings.Repeat("sh -c eval\\ ", 12) + "ls"
	for range 7 {
		line = "eval " + line
	}
	if e := commandline.Analyze("/goal", line).Effect(line, policy.WriteLocal); e.Unparsed == "" {
		t.Errorf("it was analyzed to the end: %q", e.Commands)
	}
}

func TestPendingInput_CommandInPieces_IsAnalyzedWhole(t *testing.T) {
	var l commandline.PendingInput
	l.Record("t1", "rm ")
	for pane, want := range map[string][]string{"t1": {"/goal/a"}, "t2": nil} {
		e := l.Analyze("/goal", pane, "a\n").Effect("a", policy.WriteLocal)
		if !reflect.DeepEqual(e.Deletes, want) {
			t.Errorf("pane %s deletes %q, want %q", pane, e.Deletes, want)
		}
	}
	l.Record("t1", string(rune(commandline.CtrlC)))
	if e := l.Analyze("/goal", "t1", "a\n").Effect("a", policy.WriteLocal); len(e.Deletes) > 0 {
		t.Errorf("after Ctrl+C it still deletes %q", e.Deletes)
	}
	l.Record("t1", string(rune(commandline.UnknownKey)))
	if e := l.UnconfinedEffect("t1", "ls\n"); e.Unparsed == "" || e.Pane != "t1" || e.Risk != policy.NetworkWrite {
		t.Errorf("after an unknown key: %+v", e)
	}
}
