package suggest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"goalpost/backend/domain/goal"
)

const (
	probeTimeout = 700 * time.Millisecond
	maxServers   = 3
)

// FindServers proposes the pages of local servers that answer on one of the ports.
func FindServers(ctx context.Context, ports []int) []Proposal {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	found := make([]*Proposal, len(ports))
	var probes sync.WaitGroup
	for i, port := range ports {
		probes.Go(func() { found[i] = probeServer(ctx, port) })
	}
	probes.Wait()
	var list []Proposal
	for _, p := range found {
		if p != nil && len(list) < maxServers {
			list = append(list, *p)
		}
	}
	return list
}

// probeServer requests the page at a port. It returns nil if no server sends a page.
func probeServer(ctx context.Context, port int) *Proposal {
	address := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + "/"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil
	}
	_ = resp.Body.Close() // only the status counts
	return &Proposal{
		Check:  goal.Check{Type: goal.HTTP, URL: address},
		Reason: fmt.Sprintf("Your server answers on port %d (now with status %d).", port, resp.StatusCode),
		From:   FromServer,
		Ports:  []int{port},
	}
}
