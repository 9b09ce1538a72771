package pane

// How a page came here.
const (
	SiteSecure         = "proven"   // encrypted, by who can prove to be the host
	SiteBadCertificate = "unproven" // encrypted, by who cannot
	SitePlaintext      = "open"     // not encrypted, over a network
	SiteLocal          = "here"     // not encrypted, from this machine
	SiteUnknown        = "none"     // from nowhere: a blank page, an image in an address
)

// What a page's origin may do, for Site.Permissions.
const (
	PermissionAsk   = "ask"
	PermissionAllow = "allow"
	PermissionBlock = "block"
)

// Site is what is known of where a page is from.
type Site struct {
	Origin      string           `json:"origin"` // "" if it has none
	Came        string           `json:"came"`   // one of SiteSecure …
	Certificate *SiteCertificate `json:"certificate"`
	Permissions []SitePermission `json:"permissions"` // empty where Chromium grants none
	Cookies     int              `json:"cookies"`     // that the page's address is sent
}

// SiteCertificate is by what a host proves who it is. Times are RFC 3339.
type SiteCertificate struct {
	Subject  string `json:"subject"`
	Issuer   string `json:"issuer"`
	From     string `json:"from"`
	To       string `json:"to"`
	Protocol string `json:"protocol"` // of the connection, such as "TLS 1.3"
	Fault    string `json:"fault"`    // why it proves nothing, "" if it does
}

// SitePermission is what an origin may do until the browser ends.
type SitePermission struct {
	Name  string `json:"name"`  // geolocation, notifications, camera, microphone, clipboard-read
	State string `json:"state"` // ask, allow or block
}
