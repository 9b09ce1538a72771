package api

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
	"goalpost/backend/storage/store"
)

// Browsing is the part of BrowserAPI's interface to the program that is not about single panes.
type Browsing interface {
	PageFiles
	PageTakeover
	BrowserProfiles
	AddressResolver
}

// AddressResolver finds the address that a text in the address bar leads to.
type AddressResolver interface {
	Destination(text string) (string, error)
}

// PageFiles uploads files to pages, and opens files that pages downloaded.
type PageFiles interface {
	Upload(in ArgsUpload) (string, error)
	OpenFile(ctx context.Context, id, download string, folder bool) error
}

// PageTakeover lets the user drive the page of a goal, and gives it back.
type PageTakeover interface {
	TakeOver(ctx context.Context, p *browser.Pane) error
	HandBack(ctx context.Context, p *browser.Pane) error
}

// BrowserProfiles manages the user's profiles on disk.
type BrowserProfiles interface {
	Profiles() []string
	DeleteProfile(ctx context.Context, name string) error
	RenameProfile(ctx context.Context, name, to string) error
}

// ArgsUpload is one piece of a file that the user uploads to a page.
type ArgsUpload struct {
	Name string `json:"name"`
	Path string `json:"path"` // the path returned for the first piece; "" begins a file
	Data string `json:"data"` // base64, at most 1 MiB
}

// ArgsDevTools describes the developer tools to open.
type ArgsDevTools struct {
	// Element is the place of the element to show first, nil for the console.
	Element *browser.Point `json:"element"`
	Dark    bool           `json:"dark"` // in dark colors
	Width   int            `json:"width"`
	Height  int            `json:"height"` // CSS pixels, 0 = a default
}

// Bookmark is an address that the user saved.
type Bookmark struct {
	URL     string `json:"url"`
	Title   string `json:"title"`
	AddedAt string `json:"added_at"`
}

// Visit is an address that the user visited.
type Visit struct {
	URL       string `json:"url"`
	Title     string `json:"title"`
	VisitedAt string `json:"visited_at"`
	Times     int    `json:"times"`
}

// FoundText is the state of a search in a page; both are 0 if nothing matches.
type FoundText struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// Enter loads the user's input in the address bar: an address, or words for the configured search page.
func (a *BrowserAPI) Enter(id, text string) (bool, error) {
	return a.with(id, func(p *browser.Pane) error {
		address, err := a.addresses.Destination(text)
		if err != nil {
			return err
		}
		return p.Navigation.Navigate(a.ctx, address)
	})
}

// DevTools opens Chromium's developer tools for the page of a pane, in a pane of their own, or finds the open ones. It
// refuses a page that an agent drives.
func (a *BrowserAPI) DevTools(id string, in ArgsDevTools) (out pane.Info, err error) {
	defer a.recoverProblem(&err)
	return a.panes.OpenDevTools(a.ctx, id, in)
}

// Answer answers a page's prompt.
func (a *BrowserAPI) Answer(id string, in pane.Answer) (bool, error) {
	return a.with(id, func(p *browser.Pane) error { return p.Answer(a.ctx, in) })
}

// TakeOver gives a goal's pane to the user. The agent stops at once, and its goal pauses.
func (a *BrowserAPI) TakeOver(id string) (bool, error) {
	return a.with(id, func(p *browser.Pane) error { return a.takeover.TakeOver(a.ctx, p) })
}

// HandBack gives the pane back to the agent. A goal that paused for it continues.
func (a *BrowserAPI) HandBack(id string) (bool, error) {
	return a.with(id, func(p *browser.Pane) error { return a.takeover.HandBack(a.ctx, p) })
}

// Find marks a text in the page. step moves between the matches, and an empty text ends the search.
func (a *BrowserAPI) Find(id, text string, step int) (out FoundText, err error) {
	_, err = a.with(id, func(p *browser.Pane) error {
		f, err := p.TextSearch.Find(a.ctx, text, step)
		out = FoundText(f)
		return err
	})
	return out, err
}

// Zoom sets the zoom of the page in percent.
func (a *BrowserAPI) Zoom(id string, percent int) (bool, error) {
	return a.with(id, func(p *browser.Pane) error { return p.Viewport.Zoom(a.ctx, percent) })
}

// Print saves the page as a PDF in the downloads folder and returns its path.
func (a *BrowserAPI) Print(id string) (out string, err error) {
	_, err = a.with(id, func(p *browser.Pane) error {
		out, err = p.Downloads.PDF(a.ctx)
		return err
	})
	return out, err
}

// CancelDownload cancels a download.
func (a *BrowserAPI) CancelDownload(id, download string) (bool, error) {
	return a.with(id, func(p *browser.Pane) error { return p.Downloads.CancelDownload(a.ctx, download) })
}

// OpenDownload opens a downloaded file, or its folder, on the desktop.
func (a *BrowserAPI) OpenDownload(id, download string, folder bool) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.files.OpenFile(a.ctx, id, download, folder)
}

// Save downloads an address.
func (a *BrowserAPI) Save(id, address string) (bool, error) {
	return a.with(id, func(p *browser.Pane) error { return p.Downloads.Save(a.ctx, address) })
}

// Upload receives a piece of a file for a page and returns the file's path.
func (a *BrowserAPI) Upload(in ArgsUpload) (out string, err error) {
	defer a.recoverProblem(&err)
	return a.files.Upload(in)
}

// PageLogins are the saved logins for the origin of a page.
type PageLogins struct {
	Origin string   `json:"origin"`
	Users  []string `json:"users"`
}

// Logins lists the users with a saved login for the page's present origin.
func (a *BrowserAPI) Logins(id string) (out PageLogins, err error) {
	_, err = a.with(id, func(p *browser.Pane) error {
		out.Origin, out.Users, err = p.Logins.LoginUsers(a.ctx)
		return err
	})
	return out, err
}

// FillLogin fills a saved login into the page's fields. user "" means the only saved login.
func (a *BrowserAPI) FillLogin(id, user string) (bool, error) {
	return a.with(id, func(p *browser.Pane) error {
		_, err := p.Logins.FillLogin(a.ctx, user)
		return err
	})
}

// Site describes the page's origin, with its permissions and the number of its cookies.
func (a *BrowserAPI) Site(id string) (out pane.Site, err error) {
	_, err = a.with(id, func(p *browser.Pane) error {
		out, err = p.SiteData.Site(a.ctx)
		return err
	})
	return out, err
}

// SetPermission changes a permission of the page's origin: state is ask, allow or block.
func (a *BrowserAPI) SetPermission(id, origin, name, state string) (bool, error) {
	return a.with(id, func(p *browser.Pane) error { return p.SiteData.SetPermission(a.ctx, origin, name, state) })
}

// ClearSite deletes the cookies and stored data of the page's origin.
func (a *BrowserAPI) ClearSite(id, origin string) (bool, error) {
	return a.with(id, func(p *browser.Pane) error { return p.SiteData.ClearSite(a.ctx, origin) })
}

// Profiles lists the names of the user's profiles.
func (a *BrowserAPI) Profiles() (out []string, err error) {
	defer a.recoverProblem(&err)
	return a.profiles.Profiles(), nil
}

// DeleteProfile deletes a profile and its logins.
func (a *BrowserAPI) DeleteProfile(name string) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.profiles.DeleteProfile(a.ctx, name)
}

// RenameProfile gives a profile another name; its logins stay in it.
func (a *BrowserAPI) RenameProfile(name, to string) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.profiles.RenameProfile(a.ctx, name, strings.TrimSpace(to))
}

// ImportCookies imports the cookies of a file, in the Netscape format or JSON, into the profile of a pane. It returns
// their number.
func (a *BrowserAPI) ImportCookies(id, file string) (n int, err error) {
	_, err = a.with(id, func(p *browser.Pane) error {
		n, err = p.SiteData.ImportCookies(a.ctx, file)
		return err
	})
	return n, err
}

// Bookmarks lists all bookmarks, newest first.
func (a *BrowserAPI) Bookmarks() (out []Bookmark, err error) {
	defer a.recoverProblem(&err)
	list, err := a.store.Workspace.Bookmarks(a.ctx)
	return viewAll(list, func(b store.Bookmark) Bookmark {
		return Bookmark{URL: b.URL, Title: b.Title, AddedAt: b.AddedAt.Format(event.TimeLayout)}
	}), err
}

// SetBookmark saves or removes an address.
func (a *BrowserAPI) SetBookmark(address, title string, on bool) (ok bool, err error) {
	defer a.recoverProblem(&err)
	address, err = browser.Address(address)
	if err != nil {
		return false, &fault.Error{Code: fault.Refused, Message: fmt.Sprintf("the bookmark was not saved: %v", err)}
	}
	return true, a.store.Workspace.SetBookmark(a.ctx, address, title, on)
}

// History finds visited addresses by words in their title or address, most recent first.
func (a *BrowserAPI) History(words string, limit int) (out []Visit, err error) {
	defer a.recoverProblem(&err)
	list, err := a.store.Workspace.Visits(a.ctx, strings.TrimSpace(words), min(max(limit, 1), 500))
	return viewAll(list, func(v store.Visit) Visit {
		return Visit{URL: v.URL, Title: v.Title, VisitedAt: v.VisitedAt.Format(event.TimeLayout), Times: v.Times}
	}), err
}

// ClearHistory deletes all visits, or those of one address.
func (a *BrowserAPI) ClearHistory(address string) (ok bool, err error) {
	defer a.recoverProblem(&err)
	return true, a.store.Workspace.ForgetVisits(a.ctx, address)
}
