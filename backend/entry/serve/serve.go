// Package serve shows the program in an ordinary browser: the same frontend, the same methods and the same streams as
// the window, protected by a token. It listens on loopback by default, and checks session, Host and Origin for every
// request that can have an effect.
package serve

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"goalpost/backend/panes/stream"
	"goalpost/backend/storage/devices"
)

// minToken excludes short passwords that the lock-out could not protect.
const minToken = 12

// Open starts serving. ctx limits the start, not the life of the server.
func Open(ctx context.Context, o Options) (*Server, error) {
	if err := o.settle(); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w (choose another address, such as 127.0.0.1:0)", o.Listen, err)
	}
	s := &Server{
		o: o, token: o.Token, address: l.Addr().String(), accepted: make(chan struct{}),
		lock: newLockout(o.Now), files: files{assets: o.Assets, log: o.Log},
	}
	_, s.port, err = net.SplitHostPort(s.address)
	if err == nil {
		s.sockets, err = watchSockets(o.Devices)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the server: %w", err), l.Close())
	}
	s.conns = stream.NewConnections(ctx)
	if o.TLS != nil {
		l = tls.NewListener(l, o.TLS)
	}
	s.http = &http.Server{
		Handler:           s.withHeaders(s.routes()),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	go func() {
		defer close(s.accepted)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			o.Log.Error("serving stopped", "err", err)
		}
	}()
	return s, nil
}

// settle checks the options and sets the defaults.
func (o *Options) settle() error {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return fmt.Errorf("the address %q is not host:port, such as 127.0.0.1:8080: %w", o.Listen, err)
	}
	if !IsLoopback(o.Listen) && !o.AllowRemote {
		return fmt.Errorf("%q can be reached from other machines: use 127.0.0.1, or pass --allow-remote if that is intended",
			o.Listen)
	}
	if o.Assets == nil || o.Methods == nil {
		return errors.New("serving needs the frontend and the methods")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Devices == nil {
		o.Devices = devices.Open("", o.Now)
	}
	if o.Token == "" {
		secret := make([]byte, 32)
		if _, err := rand.Read(secret); err != nil {
			return fmt.Errorf("making the token: %w", err)
		}
		o.Token = hex.EncodeToString(secret)
	}
	if len(o.Token) < minToken {
		return fmt.Errorf("the token has fewer than %d characters: use a longer one, or none to generate one", minToken)
	}
	return nil
}

// IsLoopback reports whether only programs of this machine reach a listening address.
func IsLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if listen == "" || err != nil {
		return listen == ""
	}
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/rpc", s.ofDevice(s.rpc))
	if s.o.Stream != nil {
		mux.HandleFunc("/v1/", s.ofDevice(s.o.Stream(s.isSocketAllowed).ServeHTTP))
	} else {
		mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) { s.refuse(w, r, "no such endpoint") })
	}
	mux.HandleFunc("POST /login", s.postLogin)
	mux.HandleFunc("GET /favicon.ico", s.icon)
	if s.o.Authority != nil {
		mux.HandleFunc("GET "+authorityPath, s.authority)
	}
	mux.HandleFunc("/", s.serveIndex)
	return mux
}
