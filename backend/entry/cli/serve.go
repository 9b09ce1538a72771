package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/entry/serve"
	"goalpost/backend/lib/fault"
)

// serveCommands serve the page to a browser.
type serveCommands struct{ program Program }

func (sc serveCommands) serve() *cobra.Command {
	var o serve.Options
	var asJSON bool
	var t transport
	c := &cobra.Command{
		Use: "serve", Short: "Serve the app to a web browser, also to a phone",
		Long: "Serve the app to a web browser. The browser shows what the host process owns, as the window does; both can " +
			"be open. Goals, terminals and pages keep running when this command ends. It starts the host process if none runs.",
		Example: "  " + sc.program.Name + " serve\n  " + sc.program.Name + " serve --listen 0.0.0.0:4444 --allow-remote",
		RunE: func(c *cobra.Command, _ []string) error {
			if sc.program.page() == nil {
				return &fault.Error{
					Code:    fault.Unavailable,
					Message: "this program was built without its page",
					Hint:    "run make build",
				}
			}
			return sc.serveHost(c.Context(), o, t, asJSON)
		},
	}
	c.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:4444", "address; port 0 is a free one")
	c.Flags().BoolVar(&o.AllowRemote, "allow-remote", false,
		"allow --listen to use an address that other machines can reach")
	c.Flags().StringArrayVar(&o.Hosts, "host", nil,
		"a name by which browsers may call this server, such as that of a proxy (repeatable)")
	c.Flags().StringVar(&t.certificate, "tls", "", "own, off, or a file with a certificate chain and its key "+
		"(default: off on loopback, else own: a certificate that Goalpost makes)")
	c.Flags().StringVar(&t.key, "tls-key", "", "file with the key, if it is not in the file of --tls")
	c.Flags().StringVar(&o.Token, "token", "", "access token for the browser (default: a new one)")
	c.Flags().BoolVar(&asJSON, "print-json", false, "print one JSON line with the address when ready")
	return c
}

// open starts the server, and returns its port.
func (serveCommands) open(ctx context.Context, o serve.Options) (*serve.Server, int, error) {
	s, err := serve.Open(ctx, o)
	if err != nil {
		return nil, 0, &fault.Error{Code: fault.Refused, Message: err.Error(), Hint: "see serve --help"}
	}
	port, err := strconv.Atoi(s.Port())
	if err != nil {
		return nil, 0, fmt.Errorf("serve: %w", err)
	}
	return s, port, nil
}

// static serves a folder on the loopback, for the demonstration.
func (sc serveCommands) static() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use: "static DIR", Short: "Serve a folder on this machine's loopback", Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			root, err := os.OpenRoot(args[0])
			if err != nil {
				return fmt.Errorf("static: %w", err)
			}
			defer func() { _ = root.Close() }()
			host, _, err := net.SplitHostPort(listen)
			if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
				return fault.Invalid("", "static serves on the loopback only",
					"use --listen 127.0.0.1:0")
			}
			l, err := new(net.ListenConfig).Listen(c.Context(), "tcp", listen)
			if err != nil {
				return fmt.Errorf("static: %w", err)
			}
			if err := sc.program.printf("Serving %s at http://%s/\n", args[0], l.Addr()); err != nil {
				return err
			}
			server := &http.Server{Handler: noCache(http.FileServerFS(root.FS())), ReadHeaderTimeout: 10 * time.Second}
			return fmt.Errorf("static: %w", server.Serve(l))
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address")
	return c
}

// noCache keeps browsers from showing an older version of a file.
func noCache(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		h.ServeHTTP(w, r)
	})
}
