package cli

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/devices"
)

// deviceCommands manage the browsers that may use this program through `serve`.
type deviceCommands struct{ program Program }

// device groups the commands for phones and other browsers.
func (d deviceCommands) device() *cobra.Command {
	return newCommandGroup("device", "Log phones and other browsers in to serve, list them, and end their logins",
		d.link(), d.list(), d.revoke(), d.password())
}

// deviceList is the list of devices of a data folder.
func deviceList(c *config.Config) *devices.List {
	return devices.Open(filepath.Join(c.State(), devices.FileName), time.Now)
}

func (d deviceCommands) runWithList(
	do func(c *cobra.Command, list *devices.List, args []string) error,
) func(*cobra.Command, []string) error {
	return d.program.runWithConfig(func(c *cobra.Command, cfg *config.Config, args []string) error {
		return do(c, deviceList(cfg), args)
	})
}

func (d deviceCommands) link() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "link", Short: "Make a link that logs in one device, within ten minutes",
		Long: "Make a link that logs in one device, within ten minutes, and show it as a QR code. It leads to the server " +
			"that `serve --allow-remote` started last.",
		RunE: d.runWithList(func(c *cobra.Command, list *devices.List, _ []string) error {
			link, err := list.NewLink()
			return d.program.printResult(c, link, err, func() error { return d.program.printLink(link) })
		}),
	})
}

// printLink prints a link as text and as a QR code.
func (p Program) printLink(link devices.Link) error {
	rows, err := link.QR()
	if err != nil {
		return err
	}
	return p.printf("This logs in one device, until %s:\n  %s\n%s",
		link.Expires.Local().Format("15:04"), link.URL, drawQR(rows))
}

// drawQR draws a QR code for terminals, two rows of squares in each line. It sets the colors, because cameras do not
// read light squares on a dark background.
func drawQR(rows []string) string {
	const margin = 2
	isDark := func(x, y int) bool {
		return y >= 0 && y < len(rows) && x >= 0 && x < len(rows[y]) && rows[y][x] == '#'
	}
	var b strings.Builder
	for y := -margin; y < len(rows)+margin; y += 2 {
		b.WriteString("\x1b[30;107m")
		for x := -margin; x < len(rows)+margin; x++ {
			switch top, bottom := isDark(x, y), isDark(x, y+1); {
			case top && bottom:
				b.WriteString("█")
			case top:
				b.WriteString("▀")
			case bottom:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}

func (d deviceCommands) list() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "list", Short: "List the devices that are logged in",
		RunE: d.runWithList(func(c *cobra.Command, list *devices.List, _ []string) error {
			all, err := list.All()
			return d.program.printResult(c, all, err, func() error {
				if len(all) == 0 {
					return d.program.printf("No devices. Log one in: %s device link\n", d.program.Name)
				}
				lines := []string{"ID\tDEVICE\tFROM\tBY\tSINCE\tLAST SEEN"}
				for _, one := range all {
					lines = append(lines, strings.Join([]string{
						one.ID, singleLine(one.Name), singleLine(one.Address), one.By,
						one.Since.Local().Format("2006-01-02 15:04"), one.Seen.Local().Format("2006-01-02 15:04"),
					}, "\t"))
				}
				return d.program.printTable(lines)
			})
		}),
	})
}

func (d deviceCommands) revoke() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "revoke [ID]", Short: "End the login of a device, and close what it has open",
		Example: "  " + d.program.Name + " device revoke 1f2e3d4c\n  " + d.program.Name + " device revoke --all",
		RunE: d.runWithList(func(_ *cobra.Command, list *devices.List, args []string) error {
			if all == (len(args) == 1) {
				return fault.Invalid("", "name one device, or pass --all", "`device list` lists them")
			}
			if all {
				if err := list.RevokeAll(); err != nil {
					return err
				}
				return d.program.printf("All devices must log in again.\n")
			}
			if err := list.Revoke(args[0]); err != nil {
				return err
			}
			return d.program.printf("%s must log in again.\n", oneLine(args[0]))
		}),
	}
	c.Flags().BoolVar(&all, "all", false, "end all logins and all links")
	return c
}

func (d deviceCommands) password() *cobra.Command {
	var off bool
	c := &cobra.Command{
		Use: "password", Short: "Set the password with which devices log in; it is read from the terminal or standard input",
		Example: "  " + d.program.Name + " device password\n  " + d.program.Name + " device password --off",
		RunE: d.runWithList(func(c *cobra.Command, list *devices.List, _ []string) error {
			if off {
				if err := list.RemovePassword(); err != nil {
					return err
				}
				return d.program.printf("Devices log in with a link only. " +
					"Those that logged in with the password must log in again.\n")
			}
			password, err := secretCommands(d).readValue(c.Context(), "The new password")
			if err != nil {
				return err
			}
			if err := list.SetPassword(password); err != nil {
				return err
			}
			return d.program.printf("Devices log in with this password. " +
				"Those that logged in with the former one must log in again.\n")
		}),
	}
	c.Flags().BoolVar(&off, "off", false, "remove the password")
	return c
}
