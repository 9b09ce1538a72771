package chromium

import (
	"os"
	"slices"
	"strings"
)

// chromiumFlags are Chromium's arguments. Site isolation stays on. The sandbox of
// Chromium stays on as well, except for root, whom Chromium refuses to run
// with it.
func chromiumFlags(dir, proxy string) []string {
	list := []string{
		"--headless=new",
		"--remote-debugging-pipe",
		"--user-data-dir=" + dir,
		"--no-first-run",
		"--no-default-browser-check",
		"--no-startup-window",
		"--no-service-autorun",
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
		// No datagrams around the proxy. The switch has two names, one of newer and one of older versions.
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--metrics-recording-only",
		// Builds that are not Google's, Debian's among them, run every experiment that Chromium's developers
		// try out. One of them holds pictures back until a toolbar that nobody sees is drawn.
		"--disable-field-trial-config",
		// Else a click before the first picture of a document is thrown away.
		"--allow-pre-commit-input",
		"--password-store=basic",
		"--use-mock-keychain",
		"--log-level=2",
		// A page that comes back from the cache has no load event and keeps the
		// refs of a document that was left: every way back loads afresh.
		// The picture of the page before would be shown on (PaintHolding), and plain
		// http of a server here would be tried as https first (HttpsUpgrades).
		// Reports are sent by Chromium itself, past whoever judges what a page sends.
		"--disable-features=Reporting,DocumentReporting,NetworkErrorLogging,BackForwardCache," +
			"PaintHolding,HttpsUpgrades," +
			"HttpsFirstBalancedModeAutoEnable,Translate,MediaRouter,OptimizationHints," +
			"AutofillServerCommunication,DialMediaRouteProvider",
	}
	if os.Geteuid() == 0 {
		list = append(list, "--no-sandbox")
	}
	if proxy != "" {
		// Without <-loopback> addresses of this machine would go around the proxy.
		list = append(list, "--proxy-server="+proxy, "--proxy-bypass-list=<-loopback>")
	}
	return list
}

// chromiumEnv is what Chromium gets to know of ours: enough for fonts, time
// and language. API keys and session buses stay out.
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
	// Chromium puts a socket into TMPDIR, and a socket's path is short.
	if len(dir) <= 60 {
		env = append(env, "TMPDIR="+dir)
	}
	return env
}
