package goalsandbox

import (
	"fmt"
	"strings"
	"testing"
)

// TestJournalRefusal_ManyRefusals_AreLimited: if a program keeps requesting new names, only a limited number is
// journaled, and one note says so.
func TestJournalRefusal_ManyRefusals_AreLimited(t *testing.T) {
	e := &Sandbox{}
	var reported []string
	e.SetWarn(func(_, text string) { reported = append(reported, text) })
	for i := range 3 * maxJournaledRefusals {
		e.journalRefusal("network", fmt.Sprintf("refused %d", i))
	}
	if len(reported) != maxJournaledRefusals+1 || !strings.Contains(reported[maxJournaledRefusals], "network log") ||
		len(e.Journaled) > maxJournaledRefusals+1 {
		t.Errorf("%d told, the last %q, %d kept", len(reported), reported[len(reported)-1], len(e.Journaled))
	}
}

// TestSecretEnvPattern_PrivateVariables_Match: no program of a goal may see these variables.
func TestSecretEnvPattern_PrivateVariables_Match(t *testing.T) {
	for _, entry := range []string{
		"MYSQL_PWD=x", "SSHPASS=x", "DB_PASS=x", "GH_PAT=x", "NPM_AUTH=x", "SENTRY_DSN=x", "SLACK_WEBHOOK_URL=x",
		"API_KEY=x", "aws_secret_access_key=x",
		"DATABASE_URL=postgres://u:p@db.example/x", "PIP_INDEX_URL=https://:p@pip.example/",
	} {
		if !SecretEnvPattern.MatchString(entry) {
			t.Errorf("%s goes in", entry)
		}
	}
	for _, entry := range []string{
		"PATH=/bin", "PWD=/home/anna", "OLDPWD=/", "GOPATH=/go", "LANG=C.UTF-8", "AUTHOR=anna",
		"URL=https://a.example:80/x@y", "MANPATH=/usr/man",
	} {
		if SecretEnvPattern.MatchString(entry) {
			t.Errorf("%s is kept out", entry)
		}
	}
}
