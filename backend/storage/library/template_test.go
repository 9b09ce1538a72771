package library

import (
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

const portTemplate = `---
name: port
description: Moves a package.
parameters:
  - name: package
    description: The package
  - name: to
    description: The language
    default: Go
check:
  - check: cd {{package}} && go test ./...
    with: rerun=no
  - file:{{package}}/README.md
risk: network_get
allow-host: [proxy.example.org]
wall-clock: 20m
critic: 0
pictures: true
dir: code
---
Rewrite {{package}} in {{to}}.
`

// TestFillTemplate_Values_AreSetAsFlagsAre: the fields are the flags of run, so that each option can be in a template.
func TestFillTemplate_Values_AreSetAsFlagsAre(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	write(t, filepath.Join(state, "templates/port.md"), portTemplate)
	l := Open(state, "")
	var r goal.Request
	if err := l.FillTemplate("port", "/work", &r, map[string]string{"package": "a b"}, nil); err != nil {
		t.Fatal(err)
	}
	if r.Objective != "Rewrite a b in Go." || len(r.Checks) != 2 || r.Checks[0].Command != "cd a b && go test ./..." ||
		!r.Checks[0].NoRerun || r.Checks[1].Path != "a b/README.md" || r.Risk != "network_get" ||
		strings.Join(r.AllowHosts, " ") != "proxy.example.org" || r.WallClockMS != 20*60*1000 ||
		r.CriticEvery != goal.NoLimit || !r.Pictures || r.Dir != "/work/code" {
		t.Errorf("%+v", r)
	}
	own := goal.Request{Objective: "mine"}
	own.Dir = "/elsewhere"
	err := l.FillTemplate("port", "/work", &own, map[string]string{"package": "p", "to": "{{package}}"},
		func(flag string) bool { return flag == "check" || flag == "dir" })
	if err != nil || own.Objective != "mine" || len(own.Checks) != 0 || own.Dir != "/elsewhere" || !own.Pictures {
		t.Errorf("beside the user's own: %+v, %v", own, err)
	}
	for want, values := range map[string]map[string]string{
		"package needs a value": {},
		`no parameter "colour"`: {"package": "p", "colour": "red"},
	} {
		if err := l.FillTemplate("port", "", &goal.Request{}, values, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", values, err)
		}
	}
}

// TestFillTemplate_OfAProject_CountsOnceItIsTrusted also checks that it works in the project's folder.
func TestFillTemplate_OfAProject_CountsOnceItIsTrusted(t *testing.T) {
	t.Parallel()
	l, dir := Open(t.TempDir(), ""), t.TempDir()
	write(t, filepath.Join(dir, ".goalpost/templates/release.md"),
		"---\nname: release\ndescription: A release.\ncheck: make dist\n---\nMake a release.\n")
	var r goal.Request
	if err := l.FillTemplate("release", dir, &r, nil, nil); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Errorf("before: %v", err)
	}
	e, err := l.Get(Templates, "release", dir)
	if err == nil {
		err = l.Trust(e)
	}
	if err == nil {
		err = l.FillTemplate("release", dir, &r, nil, nil)
	}
	if err != nil || r.Dir != dir || r.Objective != "Make a release." {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestValidate_Template_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		"":                         portTemplate,
		"which is the objective":   "---\nname: port\n---\n",
		`unknown field "checks"`:   "---\nname: port\nchecks: x\n---\nx\n",
		"is not one of its para":   "---\nname: port\n---\nMake {{file}}\n",
		"does not use its":         "---\nname: port\nparameters: [{name: file}]\n---\nx\n",
		"are not a list of name":   "---\nname: port\nparameters: [{name: file, color: red}]\n---\n{{file}}\n",
		"not a valid parameter":    "---\nname: port\nparameters: [{name: A}]\n---\nx\n",
		"the field wall-clock":     "---\nname: port\nwall-clock: soon\n---\nx\n",
		"the field with: set: put": "---\nname: port\ncheck: [{check: 'file:x', with: rerun=no}]\n---\nx\n",
	} {
		if got := Validate(Templates, "port", text).Problem; (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q", want, got)
		}
	}
}

func TestList_BuiltInTemplates_CanBeFilled(t *testing.T) {
	t.Parallel()
	l := Open(t.TempDir(), "")
	list, err := l.List(Templates, "")
	if err != nil || len(list) != 4 {
		t.Fatalf("%d templates, %v", len(list), err)
	}
	for _, e := range list {
		var r goal.Request
		if err := l.FillTemplate(e.Name, "", &r, nil, nil); err != nil || e.Description == "" || len(r.Checks) != 1 {
			t.Errorf("%s: %+v, %v", e.Name, r, err)
		}
	}
	if e := Validate(Templates, "x", Example(Templates, "x")); e.Problem != "" {
		t.Error(e.Problem)
	}
}
