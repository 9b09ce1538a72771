package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/storage/config"
)

// The units with which systemd listens for the host process, and starts it when a program connects.
const (
	socketUnit = `[Unit]
Description=Socket of the Goalpost host process

[Socket]
ListenStream=%s
SocketMode=0600
DirectoryMode=0700

[Install]
WantedBy=sockets.target
`
	serviceUnit = `[Unit]
Description=Goalpost host process

[Service]
ExecStart=%s host
%sKillMode=mixed
TimeoutStopSec=30
`
)

// hostUnitName is the name of both units.
const hostUnitName = "goalpost-host"

func (h hostCommands) install() *cobra.Command {
	return &cobra.Command{
		Use: "install", Short: "Write units with which systemd starts the host process",
		Long: "Write units for systemd --user, which then listens for the host process, and starts it when a program " +
			"connects. The host process is then one of the user's services, with its output in the journal. This command " +
			"prints how to enable the units and how to remove them. While they are enabled, --no-host is refused on this " +
			"data folder.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return h.program.withConfig(h.writeUnits) },
	}
}

// writeUnits writes the units of a data folder.
func (h hostCommands) writeUnits(c *config.Config) error {
	path := h.program.Executable
	if !filepath.IsAbs(path) || strings.HasPrefix(path, "/proc/") {
		return fault.New(fault.Unavailable, "the path of this program is not known", "start it again by its path")
	}
	socket, err := hostsocket.SocketPath(c.State())
	if err != nil {
		return err
	}
	environment := ""
	if home := h.program.Getenv(config.HomeVariable); home != "" {
		abs, err := h.program.absolute(home)
		if err != nil {
			return err
		}
		environment = "Environment=" + quoteForUnit(config.HomeVariable+"="+abs) + "\n"
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return fmt.Errorf("the folder of systemd's units: %w", err)
	}
	dir = filepath.Join(dir, "systemd", "user")
	const dirMode, fileMode = 0o755, 0o644
	write := func(kind, content string) error {
		return fileio.WriteDurably(filepath.Join(dir, hostUnitName+kind), []byte(content), fileMode)
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return fmt.Errorf("the folder of systemd's units: %w", err)
	}
	if err := errors.Join(
		write(".socket", fmt.Sprintf(socketUnit, strings.ReplaceAll(socket, "%", "%%"))),
		write(".service", fmt.Sprintf(serviceUnit, quoteForUnit(path), environment)),
	); err != nil {
		return fmt.Errorf("write the units: %w", err)
	}
	return h.program.printf("Wrote %[1]s.socket and %[1]s.service to %[2]s.\nEnable them:\n"+
		"  %[3]s host stop; systemctl --user daemon-reload; systemctl --user enable --now %[1]s.socket\nRemove them:\n"+
		"  systemctl --user disable --now %[1]s.socket %[1]s.service; rm %[4]s.socket %[4]s.service\n",
		hostUnitName, dir, h.program.Name, filepath.Join(dir, hostUnitName))
}

// quoteForUnit writes the path of a program, or a variable, for a unit. Neither gives $ a meaning, but % has one.
func quoteForUnit(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(word) + `"`
}
