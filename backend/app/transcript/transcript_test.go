package transcript_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the journals that come out into the transcripts")

// transcript is one file. Its sections:
//
//	-- goal --  -- goal NAME --     goal.Request as JSON; the folder is the world's unless it says another
//	-- model --  -- model NAME --   the turns of a provider, see turn; NAME is its id
//	-- aside --  -- aside NAME --   what a provider answers to questions without tools (judge, critic, review)
//	-- world/PATH --                a file of the goal's folder; PATH with +x behind it is a program
//	-- play --                      what the user does, see play; nothing means start
//	-- must --                      what holds whatever the journal's words are, see must
//	-- journal --                   what comes out; -update writes it
type transcript struct {
	file    string
	archive *txtar.Archive
	// in the text before the sections: needs: PROGRAMS, slots: N, window: TOKENS, attended: yes,
	// watch: yes, turn: MINUTES, account: the agent's last word, warm: COMMAND
	comment map[string]string
	goals   map[string]json.RawMessage
	models  map[string][]turn
	asides  map[string][]turn
	world   []txtar.File
	play    []string
	must    []string
	journal string
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			tr, err := read(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, program := range strings.Fields(tr.comment["needs"]) {
				if _, err := exec.LookPath(program); err != nil {
					t.Skip(err)
				}
			}
			got := perform(t, tr)
			if *update && !t.Failed() {
				if err := tr.write(got); err != nil {
					t.Fatal(err)
				}
			} else if got != tr.journal {
				t.Errorf("the journal differs (go test -run %s -update writes it):\n%s", t.Name(), differences(tr.journal, got))
			}
		})
	}
}

func read(file string) (*transcript, error) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	tr := &transcript{
		file: file, archive: a, comment: map[string]string{}, goals: map[string]json.RawMessage{},
		models: map[string][]turn{}, asides: map[string][]turn{},
	}
	for line := range strings.Lines(string(a.Comment)) {
		if key, value, ok := strings.Cut(line, ": "); ok {
			tr.comment[key] = strings.TrimSpace(value)
		}
	}
	for _, f := range a.Files {
		if err := tr.section(f); err != nil {
			return nil, fmt.Errorf("%s, section %s: %w", file, f.Name, err)
		}
	}
	if len(tr.play) == 0 {
		tr.play = []string{"start"}
	}
	return tr, nil
}

func (tr *transcript) section(f txtar.File) (err error) {
	kind, name, _ := strings.Cut(f.Name, " ")
	switch {
	case strings.HasPrefix(f.Name, "world/"):
		tr.world = append(tr.world, f)
	case kind == "goal":
		tr.goals[name] = f.Data
	case kind == "model":
		tr.models[name], err = turns(f.Data)
	case kind == "aside":
		tr.asides[name], err = turns(f.Data)
	case kind == "play":
		tr.play = lines(f.Data)
	case kind == "must":
		tr.must = lines(f.Data)
	case kind == "journal":
		tr.journal = string(f.Data)
	default:
		err = fmt.Errorf("unknown section")
	}
	return err
}

func lines(b []byte) []string {
	var list []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}

// input returns the goal with a name. If the transcript has no goal section, the goal requires done.txt.
func (tr *transcript) input(name string, expand func(string) string) (goal.Request, error) {
	raw, ok := tr.goals[name]
	if !ok && name == "" {
		raw = []byte(`{"objective":"create done.txt","checks":[{"type":"shell","command":"test -f done.txt"}]}`)
	}
	var in goal.Request
	d := json.NewDecoder(bytes.NewReader([]byte(expand(string(raw)))))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return in, fmt.Errorf("goal %s: %w", name, err)
	}
	if in.CriticEvery == 0 { // a critic only if the transcript mentions one
		in.CriticEvery = goal.NoLimit
	}
	return in, nil
}

func (tr *transcript) write(journal string) error {
	i := slices.IndexFunc(tr.archive.Files, func(f txtar.File) bool { return f.Name == "journal" })
	if i < 0 {
		i = len(tr.archive.Files)
		tr.archive.Files = append(tr.archive.Files, txtar.File{Name: "journal"})
	}
	tr.archive.Files[i].Data = []byte(journal)
	return os.WriteFile(tr.file, txtar.Format(tr.archive), 0o644)
}

// differences returns the lines from the first difference on.
func differences(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	at := 0
	for at < len(w) && at < len(g) && w[at] == g[at] {
		at++
	}
	show := func(l []string) string { return strings.Join(l[min(at, len(l)):min(at+6, len(l))], "\n  ") }
	return fmt.Sprintf("line %d\nwant\n  %s\ngot\n  %s\nall of it:\n%s", at+1, show(w), show(g), got)
}
