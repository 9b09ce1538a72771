package pane

// SiteConnection is how a page was loaded.
type SiteConnection string

// The connections.
const (
	SiteSecure         SiteConnection = "proven"   // encrypted, and the host proved its identity
	SiteBadCertificate SiteConnection = "unproven" // encrypted, but the host's identity is not proven
	SitePlaintext      SiteConnection = "open"     // not encrypted, over a network
	SiteLocal          SiteConnection = "here"     // not encrypted, from this machine
	SiteUnknown        SiteConnection = "none"     // no origin: a blank page, an image in an address
)

// PermissionState is what a page's origin may do.
type PermissionState string

// The states.
const (
	PermissionAsk   PermissionState = "ask"
	PermissionAllow PermissionState = "allow"
	PermissionBlock PermissionState = "block"
)

// Site is what is known about the origin of a page.
type Site struct {
	Origin      string           `json:"origin"` // "" if it has none
	Came        SiteConnection   `json:"came"`
	Certificate *SiteCertificate `json:"certificate"`
	Permissions []SitePermission `json:"permissions"` // empty where Chromium grants none
	Cookies     int              `json:"cookies"`     // number of cookies sent to the page's address
	UserAgent   string           `json:"user_agent"`  // of the settings, "" for Chromium's own
}

// SiteCertificate is how a host proves its identity. Times are RFC 3339.
type SiteCertificate struct {
	Subject  string `json:"subject"`
	Issuer   string `json:"issuer"`
	From     string `json:"from"`
	To       string `json:"to"`
	Protocol string `json:"protocol"` // of the connection, such as "TLS 1.3"
	Fault    string `json:"fault"`    // why the certificate is invalid, "" if it is valid
}

// SitePermission is a permission of an origin, until the browser ends.
type SitePermission struct {
	Name  string          `json:"name"` // geolocation, notifications, camera, microphone, clipboard-read
	State PermissionState `json:"state"`
}
