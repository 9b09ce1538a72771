package panes

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// Profiles of the user's browser panes with a fixed meaning.
const (
	ownProfile       = "default"
	temporaryProfile = "temporary" // stores nothing
)

// Browsing manages what the user's browser panes share: profiles, downloads, uploads and take-overs.
type Browsing struct {
	panes      *Registry
	background *background
	// Runs pauses the run of a goal whose page the user takes over.
	Runs paneRuns
	// Resume continues a goal that was paused for a take-over.
	Resume    func(context.Context, goal.ID, api.ResumeInput) error
	takeovers takeovers
	kept      keptDownloads
}

// GoalFolder returns the folder of a goal, which gets the downloads of its pages. It returns "" if id is not a goal, or
// if the goal may not write.
func (b *Browsing) GoalFolder(id string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	row, err := b.panes.Store.Goals.Get(ctx, goal.ID(id))
	if err != nil {
		return ""
	}
	return downloadDirFor(row.Policy)
}

// downloadDirFor returns the folder in which a goal's pages may save files. It returns "" for a goal that may only
// read, because a download needs no tool call that the policy could decide.
func downloadDirFor(p policy.Policy) string {
	if policy.WriteLocal.Exceeds(p.Risk) {
		return ""
	}
	return p.Dir
}

// Downloads returns the user's folder for downloads.
func (b *Browsing) Downloads(string) string {
	if home, err := os.UserHomeDir(); err == nil {
		dir := filepath.Join(home, "Downloads")
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return filepath.Join(b.panes.Config.State(), "downloads")
}

// AsksWhere reports whether the user wants to be asked where each file is saved.
func (b *Browsing) AsksWhere() bool { return b.panes.Config.Settings().AskWhereToSave }

// UserAgent returns the user agent of the user's pages, "" for Chromium's own.
func (b *Browsing) UserAgent() string { return b.panes.Config.Settings().UserAgent }

// PlaceDownload says where a download is saved that asks: a path, or a folder.
func (b *Browsing) PlaceDownload(p *browser.Pane, download, path string) error {
	path = strings.TrimSpace(path)
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(b.panes.Config.Home(), rest)
	}
	if err := p.Downloads.Place(download, path); err != nil {
		return fault.Invalid("path", err.Error(), "the file stays here until you choose a place for it")
	}
	return nil
}

// OnVisit adds an address to the history of a profile.
func (b *Browsing) OnVisit(profile, address, title string) {
	if profile == "" {
		return // a temporary page leaves nothing behind
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := b.panes.Store.Workspace.AddVisit(ctx, profile, address, title); err != nil {
		b.panes.Log.Warn("a visit was not added to the history", "error", err)
	}
}

// Destination returns the address for the user's text in an address bar. For words it is that of the search page in the
// settings; without a search page, words are refused.
func (b *Browsing) Destination(text string) (string, error) {
	words, ok := browser.SearchTerms(text)
	if !ok {
		return text, nil
	}
	search := b.panes.Config.Settings().SearchPage
	if search == "" || search == config.NoSearch {
		refusal := fault.New(fault.Refused, fmt.Sprintf("%q is not an address, and no search engine is set", words),
			"enter an address such as localhost:8080, or choose a search engine in the settings, under Pages")
		if search == "" {
			refusal.Field = "search_page" // the page asks for one
		}
		return "", refusal
	}
	return strings.Replace(search, "%s", url.QueryEscape(words), 1), nil
}

// open opens a pane of the user, by default with the user's own profile. If another Goalpost process has that profile,
// the pane is temporary and shows a notice.
func (b *Browsing) open(ctx context.Context, in api.ArgsOpenBrowser) (*browser.Pane, error) {
	o := browser.Options{
		ID:      b.panes.NewID(pane.Browser),
		URL:     in.URL,
		Width:   in.Width,
		Height:  in.Height,
		Profile: in.Profile,
	}
	switch in.Profile {
	case "":
		o.Profile = ownProfile
	case temporaryProfile:
		o.Profile = ""
	}
	p, err := b.panes.Browsers.Open(ctx, o)
	if in.Profile == "" && errors.Is(err, browser.ErrLocked) {
		o.Profile = ""
		if p, err = b.panes.Browsers.Open(ctx, o); err == nil {
			p.State.Notice("another Goalpost process uses your profile, so this page is temporary")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open browser: %w", err)
	}
	return p, nil
}

// Logins gives pages access to the saved logins.
type Logins struct{ *secret.Logins }

// Open returns a login for exactly this origin.
func (l Logins) Open(ctx context.Context, origin, user string) (name, password string, err error) {
	in, err := l.For(ctx, origin, user)
	if err != nil {
		return "", "", fmt.Errorf("the login: %w", err)
	}
	return in.User, in.Password, nil
}

// Save saves a login.
func (l Logins) Save(ctx context.Context, origin, user, password string) error {
	if err := l.Logins.Save(ctx, secret.Login{Origin: origin, User: user, Password: password}); err != nil {
		return fmt.Errorf("the login: %w", err)
	}
	return nil
}

// maxUploadBytes is the largest file that the page can upload.
const maxUploadBytes = 1 << 30

func (b *Browsing) uploads() string {
	return filepath.Join(b.panes.Config.State(), "browser", "uploads")
}

// Upload appends data to a file that the user uploads to a page, and returns its path. Goalpost's page sends the bytes,
// because it may be shown in a browser on another machine.
func (b *Browsing) Upload(in api.ArgsUpload) (string, error) {
	piece, err := base64.StdEncoding.DecodeString(in.Data)
	if err != nil {
		return "", uploadError("the data is not base64")
	}
	path := in.Path
	if path == "" {
		if err := os.MkdirAll(b.uploads(), 0o700); err != nil {
			return "", fmt.Errorf("upload: %w", err)
		}
		dir, err := os.MkdirTemp(b.uploads(), "")
		if err != nil {
			return "", fmt.Errorf("upload: %w", err)
		}
		path = filepath.Join(dir, browser.FileName(in.Name))
	} else if rel, err := filepath.Rel(b.uploads(), path); err != nil || strings.HasPrefix(rel, "..") {
		return "", uploadError("there is no such upload")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return "", fmt.Errorf("upload: %w", err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Size()+int64(len(piece)) > maxUploadBytes {
		return "", uploadError("the file is larger than 1 GiB")
	}
	if _, err := f.Write(piece); err != nil {
		return "", fmt.Errorf("upload: %w", err)
	}
	return path, nil
}

func uploadError(why string) error {
	return &fault.Error{Code: fault.Refused, Message: why, Hint: "choose the file again"}
}

// OpenFile opens a downloaded file, or its folder, with the desktop's program for it.
func (b *Browsing) OpenFile(ctx context.Context, id, download string, folder bool) error {
	p, err := b.panes.Browser(id)
	if err != nil {
		return err
	}
	kept, err := b.KeptDownloads(ctx)
	if err != nil {
		return err
	}
	list := append(p.Downloads.List(), kept...)
	i := slices.IndexFunc(list, func(d pane.Download) bool { return d.ID == download && d.State == pane.Downloaded })
	if i < 0 {
		return &fault.Error{Code: fault.NotFound, Message: "there is no such download", Hint: "it may not be complete yet"}
	}
	path := list[i].Path
	if _, err := os.Stat(path); err != nil && !folder {
		return fault.New(fault.NotFound, "the file is no longer at "+path, "it was moved or deleted")
	}
	if folder {
		return b.panes.openFolder(ctx, filepath.Dir(path))
	}
	if err := validateOpenable(p.State.Lease(), path); err != nil {
		return err
	}
	return b.panes.openOnDesktop(ctx, path)
}

// executableExtensions are the extensions of files that a desktop may run, or whose scripts could read other files.
var executableExtensions = strings.Fields(
	`.appimage .bat .cmd .com .deb .desktop .dmg .exe .flatpak .hta .htm .html .ipynb .jar .js .lnk .mht .mhtml .msi
	.pif .pkg .ps1 .py .rpm .run .scr .sh .shtml .snap .svg .url .vbs .webloc .xht .xhtml .xml`)

// validateOpenable refuses a download that could run when it is opened, and every download of a goal, whose programs
// may have replaced the file.
func validateOpenable(lease, path string) error {
	why := ""
	switch {
	case lease != "":
		why = "a goal has this page, and its programs may have altered the file"
	case slices.Contains(executableExtensions, strings.ToLower(filepath.Ext(path))):
		why = "opening a file of this kind may run a program in it"
	default:
		return nil
	}
	return fault.New(fault.Refused, why, "show it in its folder, and open it there if you trust it")
}

// Profiles lists the user's profiles, the default one first.
func (b *Browsing) Profiles() []string {
	list := slices.DeleteFunc(b.panes.Browsers.Profiles(), func(name string) bool { return name == ownProfile })
	return append([]string{ownProfile}, list...)
}

// DeleteProfile deletes a profile and its logins.
func (b *Browsing) DeleteProfile(ctx context.Context, name string) error {
	if err := b.panes.Browsers.DeleteProfile(ctx, name); err != nil {
		return fmt.Errorf("delete profile: %w", err)
	}
	return nil
}

// RenameProfile renames a profile. The default one cannot be renamed.
func (b *Browsing) RenameProfile(ctx context.Context, name, to string) error {
	if name == ownProfile || to == temporaryProfile || to == ownProfile {
		return fault.Invalid("name", fmt.Sprintf("the profile %s cannot be renamed to %s", name, to), "choose another name")
	}
	if err := b.panes.Browsers.RenameProfile(ctx, name, to); err != nil {
		return fmt.Errorf("rename profile: %w", err)
	}
	return nil
}

// paneRuns pauses runs of goals in this process.
type paneRuns interface {
	PauseNow(ctx context.Context, id goal.ID, reason string) (bool, error)
	UndoPause(id goal.ID) bool
	Done(id goal.ID) <-chan struct{}
}

// takeovers stores which goals were paused because the user took over a pane.
type takeovers struct{ goals sync.Map }

func (t *takeovers) add(id goal.ID) { t.goals.Store(id, true) }

// take reports whether the goal was stored, and removes it.
func (t *takeovers) take(id goal.ID) bool {
	_, was := t.goals.LoadAndDelete(id)
	return was
}
