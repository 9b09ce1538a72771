package devices_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/devices"
)

// clock shows the same time until a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

func logIn(t *testing.T, l *devices.List, d devices.Device) (cookie string) {
	t.Helper()
	cookie, err := l.LogIn(d)
	if err != nil {
		t.Fatal(err)
	}
	return cookie
}

func TestLogIn_TooMany_EndsTheOldest(t *testing.T) {
	c := newClock()
	l := devices.Open("", c.Now)
	first := logIn(t, l, devices.Device{User: "1000"})
	var last string
	for range 256 {
		c.pass(time.Second)
		last = logIn(t, l, devices.Device{User: "1000"})
	}
	found := func(cookie, user string) bool { _, ok := l.Find(cookie, user); return ok }
	if found(first, "1000") || !found(last, "1000") || found("", "1000") || found(last, "1001") || found(last, "") {
		t.Error("the wrong logins are found")
	}
	if all, err := l.All(); len(all) != 256 || err != nil {
		t.Errorf("%d devices, %v", len(all), err)
	}
}

// TestList_TwoProcesses_ShareTheFile: what one does, the other one sees, and nothing in the file logs anybody in.
func TestList_TwoProcesses_ShareTheFile(t *testing.T) {
	c, path := newClock(), filepath.Join(t.TempDir(), "devices.json")
	server, command := devices.Open(path, c.Now), devices.Open(path, c.Now)
	if all, err := command.All(); len(all) != 0 || err != nil {
		t.Fatalf("a new list: %v, %v", all, err)
	}
	if _, err := command.NewLink(); err == nil || fault.Of(err).Hint == "" {
		t.Errorf("a link to no server: %v", err)
	}
	const password = "four random words here"
	if err := command.SetPassword(password); err != nil {
		t.Fatal(err)
	}
	if err := server.SetAddress("https://192.168.1.2:4444/"); err != nil {
		t.Fatal(err)
	}
	link, err := command.NewLink()
	if err != nil || !strings.HasPrefix(link.URL, "https://192.168.1.2:4444/?link=") {
		t.Fatalf("%+v, %v", link, err)
	}
	cookie := logIn(t, server, devices.Device{
		Name: "Safari\non iPhone\x1b[31m", Address: "192.168.1.3", By: devices.ByLink,
	})
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, _ := strings.Cut(link.URL, "?link=")
	for _, s := range []string{cookie, secret, password} {
		if strings.Contains(string(content), s) {
			t.Errorf("the file has a secret: %s", content)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	all, err := command.All()
	if err != nil || len(all) != 1 || strings.ContainsAny(all[0].Name, "\n\x1b") {
		t.Fatalf("%+v, %v", all, err)
	}
	c.pass(time.Hour)
	if _, ok := server.Find(cookie, ""); !ok {
		t.Error("the device is not found")
	}
	if all, err := command.All(); err != nil || !all[0].Seen.Equal(c.Now()) {
		t.Errorf("last seen %+v, %v", all, err)
	}
	if err := command.Revoke("0"); fault.Of(err).Code != fault.NotFound {
		t.Errorf("an unknown device: %v", err)
	}
	if err := command.Revoke(all[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, ok := server.Find(cookie, ""); ok {
		t.Error("a revoked device is still logged in")
	}
}

func TestFind_AfterThirtyDays_IsNotFound(t *testing.T) {
	c := newClock()
	l := devices.Open("", c.Now)
	cookie := logIn(t, l, devices.Device{})
	c.pass(devices.Life - time.Second)
	if _, ok := l.Find(cookie, ""); !ok {
		t.Error("the login ended before its time")
	}
	c.pass(time.Second)
	if _, ok := l.Find(cookie, ""); ok {
		t.Error("the login lasts longer than its time")
	}
	if all, err := l.All(); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
}

// TestUseLink_ManyAtOnce_WorksOnce also checks that it does not work after its time.
func TestUseLink_ManyAtOnce_WorksOnce(t *testing.T) {
	c, path := newClock(), filepath.Join(t.TempDir(), "devices.json")
	l := devices.Open(path, c.Now)
	if err := l.SetAddress("https://box.local:4444/"); err != nil {
		t.Fatal(err)
	}
	newSecret := func() string {
		link, err := l.NewLink()
		if err != nil {
			t.Fatal(err)
		}
		_, secret, _ := strings.Cut(link.URL, "?link=")
		return secret
	}
	secret := newSecret()
	var used atomic.Int32
	var users sync.WaitGroup
	for range 20 {
		users.Go(func() {
			if ok, err := devices.Open(path, c.Now).UseLink(secret); err != nil {
				t.Error(err)
			} else if ok {
				used.Add(1)
			}
		})
	}
	users.Wait()
	if used.Load() != 1 {
		t.Errorf("the link worked %d times", used.Load())
	}
	late := newSecret()
	c.pass(10 * time.Minute)
	if ok, err := l.UseLink(late); ok || err != nil {
		t.Errorf("after its time: %v, %v", ok, err)
	}
	for range 20 { // a seventeenth open link ends the first one
		secret = newSecret()
	}
	if ok, err := l.UseLink(secret); !ok || err != nil {
		t.Errorf("the newest of many: %v, %v", ok, err)
	}
}

func TestSetPassword_New_EndsItsLoginsOnly(t *testing.T) {
	l := devices.Open("", newClock().Now)
	if l.HasPassword() || l.CheckPassword("") {
		t.Error("a new list has a password")
	}
	for _, wrong := range []string{"", "short", strings.Repeat("é", 11), strings.Repeat("x", 1025)} {
		if f := fault.Of(l.SetPassword(wrong)); f.Code != fault.Refused || f.Field != "password" || f.Hint == "" {
			t.Errorf("%q: %+v", wrong, f)
		}
	}
	if err := l.SetPassword("four random words"); err != nil {
		t.Fatal(err)
	}
	if !l.CheckPassword("four random words") || l.CheckPassword("four random word") || l.CheckPassword("") {
		t.Error("the wrong passwords are accepted")
	}
	byPassword := logIn(t, l, devices.Device{By: devices.ByPassword})
	byLink := logIn(t, l, devices.Device{By: devices.ByLink})
	if err := l.SetPassword("four other words"); err != nil {
		t.Fatal(err)
	}
	if _, ok := l.Find(byPassword, ""); ok || l.CheckPassword("four random words") {
		t.Error("the former password still works")
	}
	if _, ok := l.Find(byLink, ""); !ok {
		t.Error("a login by a link ended with the password")
	}
	if err := l.RemovePassword(); err != nil || l.HasPassword() || l.CheckPassword("four other words") {
		t.Errorf("a removed password: %v", err)
	}
}

// TestWatch_OtherProcessRevokes_IsReported: a server must close the connections of the device at once.
func TestWatch_OtherProcessRevokes_IsReported(t *testing.T) {
	c, path := newClock(), filepath.Join(t.TempDir(), "devices.json")
	server := devices.Open(path, c.Now)
	changed := make(chan struct{}, 100)
	end, err := server.Watch(func() { changed <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	logIn(t, server, devices.Device{})
	if err := devices.Open(path, c.Now).RevokeAll(); err != nil {
		t.Fatal(err)
	}
	limit := time.After(waittest.Scale(30 * time.Second))
	for all, err := server.All(); len(all) > 0 || err != nil; all, err = server.All() {
		select {
		case <-changed:
		case <-limit:
			t.Fatal("the change is not reported")
		}
	}
}

// TestList_BrokenFile_LogsNobodyIn: the error says what to do, and nothing is overwritten.
func TestList_BrokenFile_LogsNobodyIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "devices.json")
	if err := os.WriteFile(path, []byte(`{"devices":[{`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := devices.Open(path, newClock().Now)
	if _, err := l.LogIn(devices.Device{}); fault.Of(err).Hint == "" {
		t.Errorf("a login: %v", err)
	}
	if _, err := l.All(); err == nil {
		t.Error("a broken list is listed")
	}
	if _, ok := l.Find("", ""); ok || l.HasPassword() || l.CheckPassword("four random words") {
		t.Error("a broken list logs in")
	}
	if b, err := os.ReadFile(path); string(b) != `{"devices":[{` || err != nil {
		t.Errorf("the file: %s, %v", b, err)
	}
}
