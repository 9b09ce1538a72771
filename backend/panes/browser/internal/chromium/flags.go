package chromium

import (
	"os"
	"slices"
	"strings"
)

// chromiumFlags are Chromium's arguments. Site isolation stays on. So does Chromium's sandbox,
// except for root, because Chromium refuses to run as root with it.
func chromiumFlags(dir, proxy string) []string {
	list := []string{
		"--headless=new",
		"--remote-debugging-pipe",
		"--user-data-dir=" + dir,
		"--no-first-run",
		"--no-default-browser-check",
		"--no-startup-window",
		"--no-service-autorun",
		// A frame of the same site and another origin would share the page's process, and no script context reads it there.
		"--enable-features=OriginKeyedProcessesByDefault,StrictOriginIsolation",
		"--site-per-process", // the headless shell and machines with little memory would not isolate sites by themselves
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-domain-reliability",
		"--disable-sync",
		"--disable-breakpad",
		"--disable-crash-reporter",
		"--disable-client-side-phishing-detection",
		"--disable-default-apps",
		"--disable-extensions",
		"--disable-search-engine-choice-screen",
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		"--disable-quic",
		// No datagrams around the proxy. Newer and older versions have different names for the switch.
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--metrics-recording-only",
		// Builds other than Google's, Debian's among them, run every experiment of Chromium's developers.
		// One of them delays frames until an invisible toolbar is drawn.
		"--disable-field-trial-config",
		// Otherwise a click before the first frame of a document is discarded.
		"--allow-pre-commit-input",
		"--password-store=basic",
		"--use-mock-keychain",
		"--log-level=2",
		// BackForwardCache: a page from the cache has no load event and keeps the refs of an old document. PaintHolding
		// would keep showing the previous page. HttpsUpgrades would try https first for a server here that speaks http.
		// Reports are off because Chromium itself sends them, so they bypass the filter of a page's requests. The menus
		// of the invisible address bar, WebUIOmnibox..., are pages: each window starts a renderer for them, which
		// computes longer than a usual page.
		"--disable-features=Reporting,DocumentReporting,NetworkErrorLogging,BackForwardCache," +
			"PaintHolding,HttpsUpgrades," +
			"HttpsFirstBalancedModeAutoEnable,Translate,MediaRouter,OptimizationHints," +
			"AutofillServerCommunication,DialMediaRouteProvider," +
			"WebUIOmniboxPopup,WebUIOmniboxAimPopup",
	}
	if os.Geteuid() == 0 {
		list = append(list, "--no-sandbox")
	}
	if proxy != "" {
		// Without <-loopback> requests to this machine would bypass the proxy.
		list = append(list, "--proxy-server="+proxy, "--proxy-bypass-list=<-loopback>")
	}
	return list
}

// chromiumEnv is the environment of Chromium: enough for fonts, time and language, without API
// keys and session buses.
func chromiumEnv(dir string, ours []string) []string {
	keep := []string{
		"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_DIRS", "XDG_DATA_HOME",
	}
	env := make([]string, 0, len(keep)+2)
	for _, v := range ours {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "LC_") || slices.Contains(keep, name) {
			env = append(env, v)
		}
	}
	// Chromium creates a socket in TMPDIR, and the path of a socket must be short.
	if len(dir) <= 60 {
		env = append(env, "TMPDIR="+dir)
	}
	return env
}
