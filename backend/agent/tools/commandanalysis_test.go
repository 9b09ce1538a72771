package tools_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/policy"
)

// TestCommandAnalysis_Launchers_AreParsed: rules that always ask apply to every way to start a command. If the folder
// of a deletion is unknown, the sandbox limits it, and a goal without a sandbox asks.
func TestCommandAnalysis_Launchers_AreParsed(t *testing.T) {
	h := newFixture(t)
	rules, err := policy.DefaultRules("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	const anywhere, unsandboxed, never = 2, 1, 0
	for line, asks := range map[string]int{
		"git push -f":                                   anywhere,
		"sudo sh -c 'git push -f'":                      anywhere,
		"timeout 1.5s env A=b sh -c 'git push -f'":      anywhere,
		"bash --norc -c 'git push -f'":                  anywhere,
		"bash -c -- 'git push -f'":                      anywhere,
		"bash -co pipefail 'git push -f'":               anywhere,
		"busybox ash -c 'rm -rf ~'":                     anywhere,
		"env --split-string='rm -rf ~'":                 anywhere,
		"echo 'git push -f' | bash -s":                  anywhere,
		"trap 'rm -rf ~' EXIT":                          anywhere,
		"git -c alias.p='push --force' p":               anywhere,
		"git -c alias.p='!rm -rf ~' p":                  anywhere,
		"git submodule foreach --recursive git push -f": anywhere,
		"git rebase --exec='git push -f' HEAD~1":        anywhere,
		"ssh -p 22 anna@host rm -rf x":                  anywhere,
		`git push $'\x2d\x2dforce'`:                     anywhere,
		"git push --mirr":                               anywhere,
		"fakeroot -- git push -f":                       anywhere,
		"noglob git push -f":                            anywhere,
		"npm publi":                                     anywhere,
		"systemd-run --user -p A=b git push -f":         anywhere,
		"setpriv --no-new-privs git push -f":            anywhere,
		"chroot --userspec=a:b /mnt git push -f":        anywhere,
		"nsenter -t 1 -m git push -f":                   anywhere,
		"unshare -r git push -f":                        anywhere,
		"firejail --quiet git push -f":                  anywhere,
		"dotenv -f .env git push -f":                    anywhere,
		"xvfb-run -a git push -f":                       anywhere,
		"flock -w 5 /tmp/l git push -f":                 anywhere,
		"flock /tmp/l -c 'git push -f'":                 anywhere,
		"setarch x86_64 -R git push -f":                 anywhere,
		"taskset 0x3 git push -f":                       anywhere,
		"taskset -c 0,1 git push -f":                    anywhere,
		"chroot /mnt git push -f":                       anywhere,
		"runuser -u anna -- git push -f":                anywhere,
		"runuser anna -c 'git push -f'":                 anywhere,
		"runuser anna --command='git push -f'":          anywhere,
		"watch 'git push -f'":                           anywhere,
		"watch git 'push -f'":                           anywhere,
		"parallel 'git push -f' ::: 1":                  anywhere,
		"dotenv run git push -f":                        anywhere,
		"dotenv -f .env run git push -f":                anywhere,
		"dotenv -f .env run --no-override git push -f":  anywhere,
		"dotenvx run -f .env -- git push -f":            anywhere,
		"infisical run --env=dev -- git push -f":        anywhere,
		"aws-vault exec home -- git push -f":            anywhere,
		"conda run -n base git push -f":                 anywhere,
		"direnv exec . git push -f":                     anywhere,
		"rbenv exec git push -f":                        anywhere,
		"kubectl exec pod -- git push -f":               anywhere,
		"nix develop -c git push -f":                    anywhere,
		"nix-shell -p git --run 'git push -f'":          anywhere,
		"hyperfine 'git push -f'":                       anywhere,
		"torsocks git push -f":                          anywhere,
		"gosu anna git push -f":                         anywhere,
		"sg anna -c 'git push -f'":                      anywhere,
		"sg anna 'git push -f'":                         anywhere,
		"systemd-inhibit --what=idle git push -f":       anywhere,
		"su -c'git push -f'":                            anywhere,
		"su -lc'git push -f' anna":                      anywhere,
		"su anna --session-command='git push -f'":       anywhere,
		"su anna --comm 'git push -f'":                  anywhere,
		"script -qc'git push -f' /dev/null":             anywhere,
		"fish -c'git push -f'":                          anywhere,
		"runuser anna -lc'git push -f'":                 anywhere,
		"rm -rf ~anna/x":                                anywhere,
		"find -L / -delete":                             anywhere,
		"find / -okdir rm {} +":                         anywhere,

		"find ~ -exec env rm {} +":     anywhere,
		"find ~ -exec mv {} x \\;":     anywhere,
		"find . -exec rm /etc/x {} +":  anywhere,
		"find -O3 / -delete":           anywhere,
		"find -D x / -delete":          anywhere,
		"find -- / -delete":            anywhere,
		"find -L / -exec nice rm {} +": anywhere,

		"find -L . -delete":               unsandboxed,
		"find . -follow -delete":          unsandboxed,
		"find -files0-from list -delete":  unsandboxed,
		"rm x/../y":                       unsandboxed,
		`rm -rf "$X"`:                     unsandboxed,
		"cd $X && rm -rf y":               unsandboxed,
		"ls | xargs -I{} rm {}":           unsandboxed,
		"goalctl approve a1":              unsandboxed,
		"sudo goalctl run --unconfined x": unsandboxed,

		"rm -rf build dist":                                      never,
		"cd sub && rm -rf build":                                 never,
		"find . -name '*.orig' -exec mv {} {}.bak \\;":           never,
		"find . -name '*.o' -exec nice rm {} +":                  never,
		"find -name '*.o' -delete":                               never,
		"go build ./... && go test ./...":                        never,
		"npm ci && npm run build && npm test":                    never,
		"python3 -m venv .venv && .venv/bin/pytest -q":           never,
		"git add -A && git commit -m 'tools: push --force asks'": never,
		"git rebase -i main":                                     never,
		"git push origin main":                                   never,
		"timeout 60 make test":                                   never,
		"flock /tmp/l make test":                                 never,
		"taskset -c 0,1 make test":                               never,
		"bash -c 'make test' x":                                  never,
		"sh test.sh":                                             never,
		"trap - EXIT":                                            never,
		"docker build -t x .":                                    never,
		"ssh host ls -la":                                        never,
		"goalctl list":                                           never,
		"conda run -n base pytest -q":                            never,
		"cargo run -- list":                                      never,
		"kubectl exec pod -- ls":                                 never,
		"nix develop -c make test":                               never,
		"su -c'make test'":                                       never,
		"dotenv -f .env run npm test":                            never,
	} {
		e, err := h.effect("run_command", "command", line)
		if err != nil {
			t.Fatal(line, err)
		}
		for i, p := range []policy.Policy{{
			Risk:       policy.NetworkWrite,
			Dir:        h.dir,
			Unconfined: true,
		}, {Risk: policy.NetworkWrite, Dir: h.dir}} {
			d := rules.Decide(policy.Call{Tool: "run_command", Key: "k", Effect: e}, p, nil)
			want := policy.Allow
			if asks > i {
				want = policy.Ask
			}
			if d.Answer != want || want == policy.Ask && !d.Always {
				t.Errorf("%s, unconfined %v: %s (%s), want %s", line, p.Unconfined, d.Answer, d.Reason, want)
			}
		}
	}
}

// TestCommandAnalysis_ManyReadings_Asks: a command that starts itself after every option is parsed up to a limit, and
// then asks.
func TestCommandAnalysis_ManyReadings_Asks(t *testing.T) {
	h, shared := newFixture(t), newFixture(t)
	shared.panes.user = true
	for _, one := range []string{
		"find . -exec ", "env -a ", "ssh -a x ", "git foreach ", "sudo -u env -S ", "watch -n ",
		"timeout 5 ",
	} {
		for _, length := range []int{400, 4000} {
			line := strings.Repeat(one, length/len(one))
			e, err := h.effect("run_command", "command", line)
			if err != nil {
				t.Fatal(err)
			}
			typed, err := shared.effect("terminal_run", "command", line, "pane", "t1")
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []policy.Effect{e, typed} {
				if n := len(e.Commands) + len(e.Deletes); n > 20_000 {
					t.Errorf("%d times %s: %d commands and deletions", length/len(one), one, n)
				}
				d := (policy.RuleSet{}).Decide(policy.Call{
					Tool:   "run_command",
					Key:    "k",
					Effect: e,
				}, policy.Policy{Risk: policy.NetworkWrite, Dir: h.dir}, nil)
				if d.Answer != policy.Ask || !d.Always || e.Unparsed == "" {
					t.Errorf("%d times %s: %s (%s)", length/len(one), one, d.Answer, d.Reason)
				}
			}
		}
	}
}

// TestCommandAnalysis_WithoutSandbox_ResolvesDeletes: a path through a link leads to another place, and the folder of a
// terminal is unknown. In the sandbox, neither matters.
func TestCommandAnalysis_WithoutSandbox_ResolvesDeletes(t *testing.T) {
	h := newFixture(t)
	if err := errors.Join(os.Symlink(h.outside, filepath.Join(h.dir, "link")),
		os.Mkdir(filepath.Join(h.dir, "own"), 0o700)); err != nil {
		t.Fatal(err)
	}
	box, err := tools.New(tools.Deps{Dir: h.dir, SandboxRisk: policy.WriteLocal, Terminals: (*terminals)(h.panes)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = box.Close() }()
	for line, want := range map[string]map[string]policy.Answer{
		"rm -rf link/x":              {"run_command": policy.Ask, "terminal_run": policy.Ask},
		"rm -rf own/x":               {"run_command": policy.Allow, "terminal_run": policy.Ask},
		"rm -rf link":                {"run_command": policy.Allow}, // the link itself
		"rm -rf link/":               {"run_command": policy.Ask},
		"rm link/../x":               {"run_command": policy.Ask},
		"rm " + h.dir + "/link/../x": {"run_command": policy.Ask},

		"find link/ -delete":             {"run_command": policy.Ask},
		"find -H link -delete":           {"run_command": policy.Ask},
		"find -L link -exec env rm {} +": {"run_command": policy.Ask},
		"find own -delete":               {"run_command": policy.Allow},
		"find own/ -exec env rm {} +":    {"run_command": policy.Allow},
	} {
		for name, answer := range want {
			args := arguments(t, "command", line)
			if name == "terminal_run" {
				args = arguments(t, "command", line, "pane", "t1")
			}
			for _, list := range [][]tools.Tool{h.box.Tools(), box.Tools()} {
				i := slices.IndexFunc(list, func(one tools.Tool) bool { return one.Spec().Name == name })
				e, err := list[i].Effect(t.Context(), args)
				if err != nil {
					t.Fatal(line, err)
				}
				p := policy.Policy{Risk: policy.WriteLocal, Dir: h.dir, Unconfined: true}
				if &list[0] == &box.Tools()[0] {
					p.Unconfined, answer = false, policy.Allow
				}
				if d := (policy.RuleSet{}).Decide(policy.Call{Tool: name, Key: "k", Effect: e}, p, nil); d.Answer != answer {
					t.Errorf("%s %s, unconfined %v: %s (%s), want %s", name, line, p.Unconfined, d.Answer, d.Reason, answer)
				}
			}
		}
	}
}

// TestTyping_GoalsTerminalInPieces_IsJudgedWhole: the last piece of a command asks if the whole command would ask,
// with and without a sandbox.
func TestTyping_GoalsTerminalInPieces_IsJudgedWhole(t *testing.T) {
	rules, err := policy.DefaultRules("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	typed := func(text string, more ...any) []any {
		return append([]any{"pane", "t1", "text", text}, more...)
	}
	some := func(text string) []any { return typed(text, "no_enter", true) }
	for name, c := range map[string]struct {
		pieces      [][]any
		unsandboxed policy.Answer
		blocked     policy.Answer
	}{
		"a deletion elsewhere":   {[][]any{some("r"), some("m -rf /et"), typed("c/x")}, policy.Ask, policy.Ask},
		"a deletion":             {[][]any{some("r"), typed("m x")}, policy.Ask, policy.Allow},
		"over two lines":         {[][]any{typed("rm \\"), typed("x")}, policy.Ask, policy.Allow},
		"a push":                 {[][]any{some("git pu"), typed("sh --force")}, policy.Ask, policy.Ask},
		"an answer for the user": {[][]any{some("goalctl app"), typed("rove a1")}, policy.Ask, policy.Allow},
		"one that was forgotten": {[][]any{some("r"), typed("\x03"), typed("m x")}, policy.Allow, policy.Allow},
		"one that was ended":     {[][]any{typed("r"), typed("m /etc/x")}, policy.Allow, policy.Allow},
		"nothing of the kind":    {[][]any{some("l"), typed("s")}, policy.Allow, policy.Allow},
	} {
		for held, want := range map[policy.Risk]policy.Answer{"": c.unsandboxed, policy.NetworkWrite: c.blocked} {
			h := newFixture(t)
			box, err := tools.New(tools.Deps{Dir: h.dir, SandboxRisk: held, Terminals: (*terminals)(h.panes)})
			if err != nil {
				t.Fatal(err)
			}
			list := box.Tools()
			typing := list[slices.IndexFunc(list, func(one tools.Tool) bool { return one.Spec().Name == "terminal_type" })]
			last := arguments(t, c.pieces[len(c.pieces)-1]...)
			for _, made := range c.pieces[:len(c.pieces)-1] {
				h.good(typing.Do(t.Context(), arguments(t, made...)))
			}
			e, err := typing.Effect(t.Context(), last)
			if err = errors.Join(err, box.Close()); err != nil {
				t.Fatal(name, err)
			}
			p := policy.Policy{Risk: policy.NetworkWrite, Dir: h.dir, Unconfined: held == ""}
			if d := rules.Decide(policy.Call{
				Tool:   "terminal_type",
				Key:    "k",
				Effect: e,
			}, p, nil); d.Answer != want || want == policy.Ask && !d.Always {
				t.Errorf("%s, held %q: %s (%s), want %s", name, held, d.Answer, d.Reason, want)
			}
		}
	}
}
