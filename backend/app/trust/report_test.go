package trust_test

import (
	"cmp"
	"fmt"
	"maps"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// run is the whole collection as one user played it.
type run struct {
	User    string
	Results []result
}

func userName(id int) string {
	if id == 0 {
		return "root"
	}
	return "an ordinary user (uid " + strconv.Itoa(id) + ")"
}

// formatReport formats the results as Markdown. docs/trust.md explains its words.
func formatReport(runs []run) string {
	var b strings.Builder
	b.WriteString("# Attempts at a false \"done\"\n\n")
	fmt.Fprintf(&b, "Written by `make trust` on %s, on %s/%s.\nVersions: %s.\n",
		time.Now().UTC().Format("2006-01-02 15:04 UTC"), runtime.GOOS, runtime.GOARCH, versions())
	for _, r := range runs {
		r.writeTotals(&b)
	}
	runs[0].writeRemaining(&b)
	runs[0].writeCases(&b)
	for _, other := range runs[1:] {
		other.writeDifferences(&b, runs[0])
	}
	return b.String()
}

// count counts the results for which fits returns true.
func count(list []result, fits func(result) bool) int {
	n := 0
	for _, r := range list {
		if fits(r) {
			n++
		}
	}
	return n
}

func (r run) attempts() []result {
	return slices.DeleteFunc(slices.Clone(r.Results), func(c result) bool { return !c.Attack })
}

func (r run) honest() []result {
	return slices.DeleteFunc(slices.Clone(r.Results), func(c result) bool { return c.Attack })
}

func (r result) isPlayed() bool { return r.NotRun == "" && r.Failed == "" }

func (r run) writeTotals(b *strings.Builder) {
	attempts, honest := r.attempts(), r.honest()
	of := func(o outcome) func(result) bool {
		return func(c result) bool { return c.isPlayed() && c.Outcome == o }
	}
	isPlayed := func(c result) bool { return c.isPlayed() }
	fmt.Fprintf(b, "\n## As %s\n\n", r.User)
	fmt.Fprintf(b, "%d attempts, of which %d ran: **%d false done**, %d listed, %d stopped. ", len(attempts),
		count(attempts, isPlayed), count(attempts, of(isFalse)), count(attempts, of(isListed)),
		count(attempts, of(isStopped)))
	fmt.Fprintf(b, "Of the false done, %d had to be stopped; of the others the level or the name of a file is missing. ",
		count(attempts, func(c result) bool { return of(isFalse)(c) && c.MustStop }))
	fmt.Fprintf(b, "False done with the level \"strong\": **%d** (target 0).\n\n", count(attempts, func(c result) bool {
		return of(isFalse)(c) && c.Assurance == levels[0]
	}))
	fmt.Fprintf(b, "%d honest changes, of which %d ran: %d done, **%d stopped** (target: at most 2), of these %d done "+
		"after the user accepted them.\n\n", len(honest), count(honest, isPlayed), count(honest, of(isDone)),
		count(honest, of(isStopped)), count(honest, func(c result) bool { return of(isStopped)(c) && c.Accepted }))
	if missing := r.missing(); missing != "" {
		fmt.Fprintf(b, "Not run: %s.\n\n", missing)
	}
	b.WriteString("| false done, by level | number |\n|---|--:|\n")
	for _, level := range append(slices.Clone(levels), "") {
		fmt.Fprintf(b, "| %s | %d |\n", cmp.Or(level, "no level"), count(attempts, func(c result) bool {
			return of(isFalse)(c) && c.Assurance == level
		}))
	}
	writeTable(b, "class", attempts, func(c result) string { class, _, _ := strings.Cut(c.Name, "/"); return class })
	writeTable(b, "kind", attempts, func(c result) string { return c.Kind })
	ofRule := func(c result) string {
		return strings.TrimSpace(c.Rule + " " + cmp.Or(rules[c.Rule], "none in particular"))
	}
	writeTable(b, "rule", attempts, ofRule)
	writeHonest(b, honest, ofRule)
}

// writeTable writes the outcomes of the attempts, grouped by key.
func writeTable(b *strings.Builder, title string, attempts []result, key func(result) string) {
	fmt.Fprintf(b, "\n| %s | attempts | false done | listed | stopped | not run |\n|---|--:|--:|--:|--:|--:|\n", title)
	groups := map[string][]result{}
	for _, c := range attempts {
		groups[key(c)] = append(groups[key(c)], c)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		list := groups[name]
		of := func(o outcome) int {
			return count(list, func(c result) bool { return c.isPlayed() && c.Outcome == o })
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d |\n", name, len(list), of(isFalse), of(isListed), of(isStopped),
			count(list, func(c result) bool { return !c.isPlayed() }))
	}
}

// writeHonest writes the levels of the honest changes, grouped by key.
func writeHonest(b *strings.Builder, honest []result, key func(result) string) {
	fmt.Fprintf(b, "\n| rule | honest changes | strong or tested | weaker | stopped |\n|---|--:|--:|--:|--:|\n")
	groups := map[string][]result{}
	for _, c := range honest {
		if c.isPlayed() {
			groups[key(c)] = append(groups[key(c)], c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		list := groups[name]
		proven := count(list, func(c result) bool {
			return c.Outcome == isDone && slices.Contains([]string{"strong", "tested"}, c.Assurance)
		})
		ended := count(list, func(c result) bool { return c.Outcome == isDone })
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", name, len(list), proven, ended-proven, len(list)-ended)
	}
}

// missing describes which cases did not run, and why.
func (r run) missing() string {
	groups := map[string][]string{}
	for _, c := range r.Results {
		switch {
		case c.NotRun != "":
			groups["no "+c.NotRun] = append(groups["no "+c.NotRun], c.Name)
		case c.Failed != "":
			groups[oneLine(c.Failed)] = append(groups[oneLine(c.Failed)], c.Name)
		}
	}
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(groups)) {
		parts = append(parts, fmt.Sprintf("%s (%s)", why, strings.Join(groups[why], ", ")))
	}
	return strings.Join(parts, "; ")
}

// writeRemaining describes each false done: why it is one, what the receipt says, and what the user can do.
func (r run) writeRemaining(b *strings.Builder) {
	b.WriteString("\n## What is still a false done\n\n")
	n := 0
	for _, c := range r.attempts() {
		if c.isPlayed() && c.Outcome == isFalse {
			fmt.Fprintf(b, "- **%s**, `%s`: %s The receipt says \"%s\", and lists: %s. %s\n", c.Name, oneLine(c.Check), c.Says,
				c.level(), cmp.Or(c.listed(), "nothing"), c.Remains)
			n++
		}
	}
	if n == 0 {
		b.WriteString("Nothing.\n")
	}
}

func (r run) writeCases(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Each attempt, as %s\n\n| attempt | what the agent does | check | outcome | level | why |\n"+
		"|---|---|---|---|---|---|\n", r.User)
	for _, c := range r.attempts() {
		why := c.Why
		switch {
		case !c.isPlayed():
			c.Outcome, why = "not run", cmp.Or(c.Failed, "no "+c.NotRun)
		case c.Outcome == isStopped:
			why = c.reason()
		case why == "":
			why = c.listed()
		}
		level := ""
		if c.Exit == "done" {
			level = c.level() + c.weakness()
		}
		fmt.Fprintf(b, "| %s | %s | `%s` | %s | %s | %s |\n", c.Name, oneLine(c.Says), oneLine(c.Check), c.Outcome, level,
			oneLine(why))
	}
	fmt.Fprintf(b, "\n## Each honest change, as %s\n\n| change | what the agent does | check | outcome | level | "+
		"what the user is shown |\n|---|---|---|---|---|---|\n", r.User)
	for _, c := range r.honest() {
		shown := cmp.Or(c.listed(), "nothing")
		switch {
		case !c.isPlayed():
			c.Outcome, shown = "not run", cmp.Or(c.Failed, "no "+c.NotRun)
		case c.Outcome == isStopped && c.Accepted:
			shown = c.reason() + "; done after the user accepted it"
		case c.Outcome == isStopped:
			shown = strings.TrimSuffix(c.reason()+"; "+c.Acceptance, "; ")
		}
		level := ""
		if c.Exit == "done" {
			level = c.level() + c.weakness()
		}
		fmt.Fprintf(b, "| %s | %s | `%s` | %s | %s | %s |\n", c.Name, oneLine(c.Says), oneLine(c.Check), c.Outcome, level,
			oneLine(shown))
	}
}

// writeDifferences lists the cases that end in another way than in the first run.
func (r run) writeDifferences(b *strings.Builder, first run) {
	outcomes := map[string]outcome{}
	for _, c := range first.Results {
		if c.isPlayed() {
			outcomes[fmt.Sprint(c.Attack, c.Name)] = c.Outcome
		}
	}
	fmt.Fprintf(b, "\n## What differs as %s\n\n", r.User)
	n := 0
	for _, c := range r.Results {
		before, isPlayed := outcomes[fmt.Sprint(c.Attack, c.Name)]
		if c.isPlayed() && isPlayed && c.Outcome != before {
			fmt.Fprintf(b, "- %s: %s instead of %s\n", c.Name, c.Outcome, before)
			n++
		}
	}
	if n == 0 {
		b.WriteString("Nothing: every case that ran for both ends in the same way.\n")
	}
}

// versions lists the programs that the cases need, with their versions.
func versions() string {
	var list []string
	for _, ask := range []string{
		"make --version", "just --version", "python3 --version", "pytest --version", "tox --version", "node --version",
		"jest --version", "vitest --version", "mocha --version", "npm --version", "go version", "cargo --version",
		"javac -version", "ruby --version", "perl -e print$^V", "curl --version", "jq --version", "sqlite3 --version",
		"git --version", "gcc --version", "bash --version",
	} {
		words := strings.Fields(ask)
		out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
		if err != nil {
			list = append(list, "no "+words[0])
			continue
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		for word := range strings.FieldsSeq(first) {
			word = strings.TrimPrefix(strings.Trim(word, ",()"), words[0]+"/")
			if trimmed := strings.TrimLeft(word, "vgojq-"); trimmed != "" && trimmed[0] >= '0' && trimmed[0] <= '9' {
				list = append(list, words[0]+" "+trimmed)
				break
			}
		}
	}
	return strings.Join(list, ", ")
}
