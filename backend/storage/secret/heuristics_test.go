package secret

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMaskLikely_AnyText_IsMaskedAsByThePatternsAlone compares it with the patterns at every place.
func TestMaskLikely_AnyText_IsMaskedAsByThePatternsAlone(t *testing.T) {
	anywhere := func(expr, anchor string) *regexp.Regexp {
		return regexp.MustCompile(strings.Replace(expr, `\A`, anchor, 1))
	}
	userinfo := anywhere(userinfoPattern.Regexp().String(), "")
	others := []*regexp.Regexp{
		anywhere(tokenPattern.Regexp().String(), ""), anywhere(cookiePattern.Regexp().String(), "(?m:^)"),
		anywhere(cookieFilePattern.Regexp().String(), ""), anywhere(authHeaderPattern.Regexp().String(), "(?m:^)"),
	}
	slow := func(s string) string {
		s = userinfo.ReplaceAllString(s, "${1}:"+maskedText+"@")
		for _, p := range others {
			s = p.ReplaceAllStringFunc(s, func(m string) string { return maskUnlessReference(p.FindStringSubmatch(m)) })
		}
		return s
	}
	parts := []string{
		"https", "://", "a", "1", ":", "@", "/", "?", "&", "#", ";", "token", "ToKen", "sig", "\u017fig", "api_key", "=",
		"12345678", "x-amz-signature", " ", "\t", "\n", "\r\n", "<", ">", "* ", "Authorization", "Cookie", "set-cookie",
		"\u017fet-Cookie", "X-API-Key", "&token=", "://u:", "\nCookie:", "\n* Added cookie a=",
		"Bearer ", "* Added cookie ", "* Replaced cookie ", `"v"`, "n", "+", ".", "ü",
		"\tTRUE\t/\tFALSE\t0\tsid\t", "\tTRUE",
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a repeatable test
	masked := 0
	for range 10_000 {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		got, want := MaskLikely(b.String()), slow(b.String())
		if got != want {
			t.Fatalf("%q becomes %q, want %q", b.String(), got, want)
		}
		if strings.Contains(got, maskedText) {
			masked++
		}
	}
	if masked < 500 {
		t.Errorf("only %d texts had something to mask", masked)
	}
}

// TestMask_LongLine_TakesLittleTime: a result can be one line of several megabytes.
func TestMask_LongLine_TakesLittleTime(t *testing.T) {
	const size = 2 << 20
	m := &Mask{}
	m.Add("{{secret:a}}", "correct horse battery staple")
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for name, part := range map[string]string{
		"script": `function f(a,b){return a+b};var x="t";`, "query": "?a=1&b=2;c=3#d=4", "addresses": "http://example.org/a ",
	} {
		text := strings.Repeat(part, size/len(part))
		from := used()
		if MaskLikely(m.Text(text)) != text {
			t.Errorf("%s: something was hidden", name)
		}
		took := used() - from
		if took > 700*time.Millisecond { // it is 40 ms here, and was 1.1 s for the script
			t.Errorf("%s: it took %v", name, took)
		}
	}
}
