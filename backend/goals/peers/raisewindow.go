package peers

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
)

// RaiseWindow asks the process pid on the same data folder to bring its window to the front, and to show a goal unless
// goalID is "". It returns when the window is in front. It returns an error if that process has ended, has no window,
// or has not opened it yet.
func RaiseWindow(ctx context.Context, state string, pid int, goalID string) error {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			c, err := d.DialContext(ctx, "unix", filepath.Join(state, "run", strconv.Itoa(pid)+".sock"))
			if err != nil {
				return nil, err //nolint:wrapcheck // RaiseWindow wraps it
			}
			_, err = c.Write([]byte("visit\n")) // the wake socket passes connections that begin with this word to HandleConn
			return c, err                       //nolint:wrapcheck // the same
		},
	}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://goalpost/front?goal="+url.QueryEscape(goalID),
		nil)
	if err != nil {
		return fmt.Errorf("the window of pid %d: %w", pid, err)
	}
	answer, err := transport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("the window of pid %d: %w", pid, err)
	}
	_ = answer.Body.Close() // it is empty
	if answer.StatusCode != http.StatusNoContent {
		return fmt.Errorf("the window of pid %d: %s", pid, answer.Status)
	}
	return nil
}
