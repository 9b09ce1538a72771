package serve

import "strings"

// namesOf are words of a User-Agent header and what they say, the more special ones first.
type namesOf []struct{ word, name string }

var (
	browsers = namesOf{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"},
		{"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
	}
	systems = namesOf{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"CrOS", "ChromeOS"},
		{"Windows", "Windows"},
		{"Macintosh", "Mac"},
		{"Linux", "Linux"},
	}
)

// browserName returns a short name for what a User-Agent header says, such as "Safari on iPhone".
func browserName(userAgent string) string {
	browser, system := browsers.find(userAgent), systems.find(userAgent)
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser+system != "":
		return browser + system
	default:
		return "unknown browser"
	}
}

func (n namesOf) find(userAgent string) string {
	for _, one := range n {
		if strings.Contains(userAgent, one.word) {
			return one.name
		}
	}
	return ""
}
