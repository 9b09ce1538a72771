package network

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/host/sandbox/egress"
)

// TestDenyAll_Requests_AreRefusedAndLogged covers plain requests and tunnels, including those to this machine. Repeated
// requests are logged with a count.
func TestDenyAll_Requests_AreRefusedAndLogged(t *testing.T) {
	reached := 0
	here := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer here.Close()
	var log bytes.Buffer
	ports := &OwnPorts{}
	n, err := OpenDenyAll(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), ports)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(n.Address)
	if err != nil || !slices.Contains(ports.List(), n.port) {
		t.Fatalf("%v; the program's own ports are %v", err, ports.List())
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at), DisableKeepAlives: true}}
	var refused []string
	for _, address := range append(slices.Repeat([]string{"http://one.example/x"}, 12), "https://two.example/", here.URL) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(req)
		if err != nil { // for a tunnel
			refused = append(refused, err.Error())
			continue
		}
		body, err := io.ReadAll(res.Body)
		refused = append(refused, fmt.Sprint(res.StatusCode, " ", string(body), err, res.Body.Close()))
	}
	for _, answer := range refused {
		if !strings.Contains(answer, "403") && !strings.Contains(answer, "Forbidden") {
			t.Errorf("the answer is %q", answer)
		}
	}
	if err := n.Close(); err != nil || reached != 0 || len(ports.List()) != 0 {
		t.Errorf("%v; %d requests came through; left: %v", err, reached, ports.List())
	}
	for _, want := range []string{
		"method=GET host=one.example port=80 times=1\n", "host=one.example port=80 times=10\n",
		"method=CONNECT host=two.example port=443 times=1\n", "host=127.0.0.1 port=" + here.URL[len("http://127.0.0.1:"):] +
			" times=1\n",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, &log)
		}
	}
	if lines := strings.Count(log.String(), "\n"); lines != 4 {
		t.Errorf("%d lines:\n%s", lines, &log)
	}
}

// TestDenyAll_ManyHosts_AreCountedTogether: a program that invents names can fill neither the log nor the memory.
func TestDenyAll_ManyHosts_AreCountedTogether(t *testing.T) {
	var log bytes.Buffer
	n := &DenyAllProxy{log: slog.New(slog.NewTextHandler(&log, nil)), times: map[string]int{}}
	for i := range 10 * maxCountedHosts {
		n.onRefused(egress.Entry{Method: "GET", Host: fmt.Sprintf("h%d.example", i)})
	}
	if lines := strings.Count(log.String(), "\n"); lines != maxCountedHosts+4 || len(n.times) != maxCountedHosts+1 {
		t.Errorf("%d lines of %d hosts", lines, len(n.times))
	}
}
