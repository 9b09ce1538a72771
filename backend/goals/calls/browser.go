package calls

import (
	"encoding/base64"
	"fmt"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/browser"
	"goalpost/backend/storage/store"
)

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
func (ba *BrowserAPI) Enter(id, text string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error {
		address, err := ba.browsing.Destination(text)
		if err != nil {
			return err
		}
		return p.Navigation.Navigate(ba.ctx, address)
	})
}

// DevTools opens Chromium's developer tools for the page of a pane, in a pane of their own, or finds the open ones. It
// refuses a page that an agent drives.
func (ba *BrowserAPI) DevTools(id string, in api.ArgsDevTools) (out pane.Info, err error) {
	defer ba.recoverProblem(&err)
	return ba.panes.OpenDevTools(ba.ctx, id, in)
}

// SetDark draws developer tools in dark colors, or in light ones.
func (ba *BrowserAPI) SetDark(id string, dark bool) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.SetDark(dark) })
}

// Answer answers a page's prompt.
func (ba *BrowserAPI) Answer(id string, in pane.Answer) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Answer(ba.ctx, in) })
}

// TakeOver gives a goal's pane to the user. The agent stops at once, and its goal pauses.
func (ba *BrowserAPI) TakeOver(id string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return ba.browsing.TakeOver(ba.ctx, p) })
}

// HandBack gives the pane back to the agent. A goal that paused for it continues.
func (ba *BrowserAPI) HandBack(id string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return ba.browsing.HandBack(ba.ctx, p) })
}

// Find marks a text in the page. step moves between the matches, and an empty text ends the search.
func (ba *BrowserAPI) Find(id, text string, step int) (out FoundText, err error) {
	_, err = ba.with(id, func(p *browser.Pane) error {
		f, err := p.TextSearch.Find(ba.ctx, text, step)
		out = FoundText(f)
		return err
	})
	return out, err
}

// Zoom sets the zoom of the page in percent.
func (ba *BrowserAPI) Zoom(id string, percent int) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Viewport.Zoom(ba.ctx, percent) })
}

// LeaveFullscreen ends the full screen of the page.
func (ba *BrowserAPI) LeaveFullscreen(id string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Viewport.LeaveFullscreen(ba.ctx) })
}

// Pin keeps the tab of a page first and narrow, or releases it.
func (ba *BrowserAPI) Pin(id string, on bool) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.State.Pin(on) })
}

// Print saves the page as a PDF in the downloads folder and returns its path.
func (ba *BrowserAPI) Print(id string) (out string, err error) {
	_, err = ba.with(id, func(p *browser.Pane) error {
		out, err = p.Downloads.PDF(ba.ctx)
		return err
	})
	return out, err
}

// CancelDownload cancels a download.
func (ba *BrowserAPI) CancelDownload(id, download string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Downloads.CancelDownload(ba.ctx, download) })
}

// PlaceDownload says where a download is saved that asks: a path, or a folder in which it has its own name.
func (ba *BrowserAPI) PlaceDownload(id, download, path string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return ba.browsing.PlaceDownload(p, download, path) })
}

// Downloads lists the files that pages of the user saved, oldest first, also those of closed panes.
func (ba *BrowserAPI) Downloads() (out []pane.Download, err error) {
	defer ba.recoverProblem(&err)
	return ba.browsing.KeptDownloads(ba.ctx)
}

// ForgetDownload removes a download from that list, or all of them if id is "". The files stay.
func (ba *BrowserAPI) ForgetDownload(id string) (ok bool, err error) {
	defer ba.recoverProblem(&err)
	return true, ba.browsing.ForgetDownload(ba.ctx, id)
}

// OpenDownload opens a downloaded file, or its folder, on the desktop.
func (ba *BrowserAPI) OpenDownload(id, download string, folder bool) (ok bool, err error) {
	defer ba.recoverProblem(&err)
	return true, ba.browsing.OpenFile(ba.ctx, id, download, folder)
}

// Save downloads an address.
func (ba *BrowserAPI) Save(id, address string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.Downloads.Save(ba.ctx, address) })
}

// CopyPicture returns the picture on which the user opened the context menu last, as a PNG in base64.
func (ba *BrowserAPI) CopyPicture(id string) (out string, err error) {
	_, err = ba.with(id, func(p *browser.Pane) error {
		png, err := p.Prompts.CopyPicture(ba.ctx)
		out = base64.StdEncoding.EncodeToString(png)
		return err
	})
	return out, err
}

// Upload receives a piece of a file for a page and returns the file's path.
func (ba *BrowserAPI) Upload(in api.ArgsUpload) (out string, err error) {
	defer ba.recoverProblem(&err)
	return ba.browsing.Upload(in)
}

// PageLogins are the saved logins for the origin of a page.
type PageLogins struct {
	Origin string   `json:"origin"`
	Users  []string `json:"users"`
}

// Logins lists the users with a saved login for the page's present origin.
func (ba *BrowserAPI) Logins(id string) (out PageLogins, err error) {
	_, err = ba.with(id, func(p *browser.Pane) error {
		out.Origin, out.Users, err = p.Logins.LoginUsers(ba.ctx)
		return err
	})
	return out, err
}

// FillLogin fills a saved login into the page's fields. user "" means the only saved login.
func (ba *BrowserAPI) FillLogin(id, user string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error {
		_, err := p.Logins.FillLogin(ba.ctx, user)
		return err
	})
}

// Site describes the page's origin, with its permissions and the number of its cookies.
func (ba *BrowserAPI) Site(id string) (out pane.Site, err error) {
	_, err = ba.with(id, func(p *browser.Pane) error {
		out, err = p.SiteData.Site(ba.ctx)
		return err
	})
	return out, err
}

// SetPermission changes a permission of the page's origin: state is ask, allow or block.
func (ba *BrowserAPI) SetPermission(id, origin, name string, state pane.PermissionState) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.SiteData.SetPermission(ba.ctx, origin, name, state) })
}

// ClearSite deletes the cookies and stored data of the page's origin.
func (ba *BrowserAPI) ClearSite(id, origin string) (bool, error) {
	return ba.with(id, func(p *browser.Pane) error { return p.SiteData.ClearSite(ba.ctx, origin) })
}

// Profiles lists the names of the user's profiles.
func (ba *BrowserAPI) Profiles() (out []string, err error) {
	defer ba.recoverProblem(&err)
	return ba.browsing.Profiles(), nil
}

// DeleteProfile deletes a profile and its logins.
func (ba *BrowserAPI) DeleteProfile(name string) (ok bool, err error) {
	defer ba.recoverProblem(&err)
	return true, ba.browsing.DeleteProfile(ba.ctx, name)
}

// RenameProfile gives a profile another name; its logins stay in it.
func (ba *BrowserAPI) RenameProfile(name, to string) (ok bool, err error) {
	defer ba.recoverProblem(&err)
	return true, ba.browsing.RenameProfile(ba.ctx, name, strings.TrimSpace(to))
}

// ImportCookies imports the cookies of a file, in the Netscape format or JSON, into the profile of a pane. It returns
// their number.
func (ba *BrowserAPI) ImportCookies(id, file string) (n int, err error) {
	_, err = ba.with(id, func(p *browser.Pane) error {
		n, err = p.SiteData.ImportCookies(ba.ctx, file)
		return err
	})
	return n, err
}

// Bookmarks lists all bookmarks, newest first.
func (ba *BrowserAPI) Bookmarks() (out []Bookmark, err error) {
	defer ba.recoverProblem(&err)
	list, err := ba.store.Workspace.Bookmarks(ba.ctx)
	return viewAll(list, func(b store.Bookmark) Bookmark {
		return Bookmark{URL: b.URL, Title: b.Title, AddedAt: b.AddedAt.Format(event.TimeLayout)}
	}), err
}

// SetBookmark saves or removes an address.
func (ba *BrowserAPI) SetBookmark(address, title string, on bool) (ok bool, err error) {
	defer ba.recoverProblem(&err)
	address, err = browser.Address(address)
	if err != nil {
		return false, fault.New(fault.Refused, fmt.Sprintf("the bookmark was not saved: %v", err),
			"give a full address that begins with http:// or https://")
	}
	return true, ba.store.Workspace.SetBookmark(ba.ctx, address, title, on)
}

// History finds visited addresses by words in their title or address, most recent first.
func (ba *BrowserAPI) History(words string, limit int) (out []Visit, err error) {
	defer ba.recoverProblem(&err)
	list, err := ba.store.Workspace.Visits(ba.ctx, strings.TrimSpace(words), min(max(limit, 1), 500))
	return viewAll(list, func(v store.Visit) Visit {
		return Visit{URL: v.URL, Title: v.Title, VisitedAt: v.VisitedAt.Format(event.TimeLayout), Times: v.Times}
	}), err
}

// ClearHistory deletes all visits, or those of one address.
func (ba *BrowserAPI) ClearHistory(address string) (ok bool, err error) {
	defer ba.recoverProblem(&err)
	return true, ba.store.Workspace.ForgetVisits(ba.ctx, address)
}
