package ssh

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestNew_FirstConnection_RemovesTheFoldersOfDeadPrograms: no program that listens loses its folder.
func TestNew_FirstConnection_RemovesTheFoldersOfDeadPrograms(t *testing.T) {
	temp, err := os.MkdirTemp("/tmp", "gp-*") // short, for the names of sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	d := newClient(newMachine(t))
	t.Setenv("TMPDIR", temp)
	folder := func(name string, mode os.FileMode) string {
		path := filepath.Join(temp, folderPrefix+name)
		d.must(os.Mkdir(path, mode))
		return path
	}
	listen := func(folder string) *net.UnixListener {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: filepath.Join(folder, askName)})
		d.must(err)
		l.SetUnlinkOnClose(false) // as a killed program leaves it
		return l
	}
	live := listen(folder("live", 0o700))
	defer func() { d.must(live.Close()) }()
	dead := folder("dead", 0o700)
	d.must(os.WriteFile(filepath.Join(dead, "c-0"), nil, 0o600))
	d.must(listen(dead).Close())
	d.must(listen(folder("open", 0o755)).Close())
	folder("begun", 0o700)
	d.must(os.Symlink(dead, filepath.Join(temp, folderPrefix+"link")))
	others := []string{"begun", "live", "link", "open"}
	slices.Sort(others)
	list := func() (names []string) {
		found, err := filepath.Glob(filepath.Join(temp, folderPrefix+"*"))
		d.must(err)
		for _, path := range found {
			names = append(names, filepath.Base(path)[len(folderPrefix):])
		}
		return names
	}
	if before := list(); len(before) != len(others)+1 {
		t.Errorf("before the first connection: %v", before)
	}
	l, err := d.client.New(d.within(), "t1", d.server, "", false)
	d.must(err)
	own := filepath.Base(d.client.dir)[len(folderPrefix):]
	want := append([]string{own}, others...)
	slices.Sort(want)
	if after := list(); !slices.Equal(after, want) {
		t.Errorf("%v, not %v", after, want)
	}
	again, err := d.client.New(d.within(), "t2", d.server, "", false)
	d.must(err)
	if again.controlPath() == l.controlPath() || filepath.Dir(again.controlPath()) != filepath.Dir(l.controlPath()) {
		t.Errorf("%s %s", again.controlPath(), l.controlPath())
	}
	d.must(d.client.Close())
	if after := list(); !slices.Equal(after, others) {
		t.Errorf("after Close: %v, not %v", after, others)
	}
	d.client = Open(Options{}) // of the cleanup
}
