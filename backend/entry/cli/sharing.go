package cli

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"goalpost/backend/app"
	"goalpost/backend/entry/serve"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
)

// sharing lets other devices use the host process, at the address of the settings. All methods may be called
// concurrently.
type sharing struct {
	program Program
	app     *app.App
	methods serve.Methods
	log     *slog.Logger

	mu        sync.Mutex
	address   string // of the settings, when they were followed last
	server    *serve.Server
	port      int // of the server
	authority *serve.Authority
	problem   string
	closing   sync.WaitGroup
}

// Follow shares the program at the address of the settings, and ends what is shared elsewhere.
func (s *sharing) Follow(ctx context.Context) {
	address := s.app.Config().Settings().ShareAddress
	s.mu.Lock()
	defer s.mu.Unlock()
	if address == s.address && s.problem == "" {
		return
	}
	s.stop(ctx)
	s.address = address
	if address == "" {
		return
	}
	if err := s.start(ctx, address); err != nil {
		s.problem = fault.Of(err).MessageWithHint()
		s.log.Warn("other devices cannot log in", "address", address, "err", err)
	}
}

func (s *sharing) start(ctx context.Context, address string) error {
	o := serve.Options{
		Listen: address, AllowRemote: true, Assets: s.program.page(), Methods: s, Stream: s.app.Stream().Handler,
		Devices: s.app.Devices(), Log: s.log,
	}
	hosts := machineNames()
	authority, err := serve.OpenAuthority(filepath.Join(s.app.Config().State(), "serve"), hosts, time.Now)
	if err != nil {
		return err
	}
	o.Hosts, o.TLS, o.Authority = hosts, authority.TLS(), authority.PEM()
	server, port, err := serveCommands{s.program}.open(ctx, o)
	if err != nil {
		return err
	}
	s.app.RegisterOwnPort(port)
	s.server, s.port, s.authority = server, port, authority
	return s.app.Devices().SetAddress(server.RemoteURL())
}

// stop ends what is shared. The address is free when it returns; the devices are disconnected afterwards, because one
// of them may wait for the end of this.
func (s *sharing) stop(ctx context.Context) {
	server := s.server
	s.server, s.authority, s.problem = nil, nil, ""
	if server == nil {
		return
	}
	server.StopListening()
	s.app.UnregisterOwnPort(s.port)
	s.closing.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if err := server.Close(ctx); err != nil {
			s.log.Warn("a device did not disconnect", "err", err)
		}
	})
}

// Close ends what is shared, and waits until all devices are disconnected.
func (s *sharing) Close(ctx context.Context) {
	s.mu.Lock()
	s.stop(ctx)
	s.mu.Unlock()
	s.closing.Wait()
}

// State returns how other devices reach the program.
func (s *sharing) State() calls.Sharing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return calls.Sharing{Problem: s.problem}
	}
	return calls.Sharing{
		URL: s.server.RemoteURL(), Authority: s.server.AuthorityURL(), Fingerprint: s.authority.Fingerprint(),
		Problem: s.problem,
	}
}

// Call runs a method for the page of a device, which gets its streams from the server that it came from.
func (s *sharing) Call(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	result, err := s.methods.Call(ctx, name, args)
	if c, ok := result.(calls.Connection); ok {
		c.URL, c.Token = "", ""
		result = c
	}
	return result, err
}
