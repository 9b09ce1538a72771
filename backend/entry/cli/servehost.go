package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/entry/serve"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/config"
)

// serveHost serves what the host process of the data folder owns, so that a browser and the window show one state.
func (sc serveCommands) serveHost(ctx context.Context, o serve.Options, t transport, asJSON bool) error {
	return hostCommands(sc).withHost(func(client *hostsocket.Client) error {
		if err := sc.program.connect(ctx, client); err != nil {
			return err
		}
		return sc.program.withConfig(func(c *config.Config) error {
			o.Assets, o.Methods, o.Stream, o.Log = sc.program.Assets, pageMethods{client}, client.Streams, c.Log()
			o.Devices = deviceList(c)
			authority, err := t.secure(&o, c.State())
			if err != nil {
				return err
			}
			return sc.runHostServer(ctx, client, o, func(s *serve.Server) error {
				return sc.announce(s, o, authority, asJSON)
			})
		})
	})
}

func (sc serveCommands) runHostServer(
	ctx context.Context, client *hostsocket.Client, o serve.Options, announce func(*serve.Server) error,
) error {
	s, port, err := sc.open(ctx, o)
	if err != nil {
		return err
	}
	return sc.program.serveUntilSignal(ctx, func(ctx context.Context) error {
		attachment, err := client.Attach(ctx, hostsocket.Attach{Port: port, Env: os.Environ()})
		if err != nil {
			return err
		}
		if err := announce(s); err != nil {
			return errors.Join(err, attachment.Close())
		}
		_, err = attachment.Next() // nothing comes to it before the end
		if ctx.Err() != nil {
			err = nil
		}
		return errors.Join(err, attachment.Close())
	}, s.Close)
}

// pageMethods passes the calls of a page on to the host. The page gets its streams from this server.
type pageMethods struct{ client *hostsocket.Client }

func (p pageMethods) Call(ctx context.Context, name string, args []json.RawMessage) (any, error) {
	result, err := p.client.Call(ctx, name, args)
	if err != nil || name != "SettingsAPI.Connect" {
		return result, err
	}
	var c calls.Connection
	if err := json.Unmarshal(result, &c); err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	c.URL, c.Token = "", ""
	return c, nil
}
