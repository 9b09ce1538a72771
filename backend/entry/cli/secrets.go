package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// secretCommands manage secrets.
type secretCommands struct{ program Program }

// secrets groups the commands for the user's keys and passwords. A value is never an argument, because arguments are in
// the shell's history and in the list of processes.
func (sc secretCommands) secrets() *cobra.Command {
	return newCommandGroup("secret", "Manage keys and passwords that goals can use but not read",
		sc.setSecret(), sc.listSecrets(), sc.removeSecret(), sc.passphrase())
}

// withVault runs a command with the secrets.
func (sc secretCommands) withVault(ctx context.Context, do func(*calls.SecretAPI) error) error {
	return sc.program.withConfig(func(c *config.Config) error {
		v, err := app.OpenVault(c, sc.program.Getenv, sc.program.askPassphrase())
		if err != nil {
			return fmt.Errorf("secrets: %w", err)
		}
		return do(calls.NewSecretAPI(ctx, v))
	})
}

// runWithVault makes the RunE of a command that needs the secrets.
func (sc secretCommands) runWithVault(
	do func(c *cobra.Command, s *calls.SecretAPI, args []string) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return sc.withVault(c.Context(), func(s *calls.SecretAPI) error { return do(c, s, args) })
	}
}

func (sc secretCommands) setSecret() *cobra.Command {
	var hosts []string
	c := &cobra.Command{
		Use:   "set NAME",
		Short: "Store a secret; its value is read from the terminal or from standard input",
		Example: "  " + sc.program.Name + " secret set npm-token --host registry.npmjs.org\n  " + sc.program.Name +
			" secret set deploy-key <key.pem",
		RunE: func(c *cobra.Command, args []string) error {
			if err := secret.ValidateName(args[0]); err != nil {
				return err
			}
			value, err := sc.readValue(c.Context(), "The value of "+args[0])
			if err != nil {
				return err
			}
			return sc.withVault(c.Context(), func(s *calls.SecretAPI) error {
				place, err := s.Set(calls.SecretInput{Name: args[0], Value: value, Hosts: hosts})
				if err != nil {
					return err
				}
				where, err := s.Where()
				if err != nil {
					return err
				}
				return sc.program.printf("%s is stored in the %s: %s\nA goal uses it as %s: %s run --secret %s …\n", args[0], place,
					where.Detail, secret.Ref(args[0]), sc.program.Name, args[0])
			})
		},
	}
	c.Flags().StringArrayVar(&hosts, "host", nil, "restrict it to this host (repeatable; default: any host)")
	return c
}

func (sc secretCommands) listSecrets() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "list", Short: "List the secrets by name, and where they are stored",
		RunE: sc.runWithVault(func(c *cobra.Command, s *calls.SecretAPI, _ []string) error {
			where, err1 := s.Where()
			list, err2 := s.List()
			logins, err3 := s.Logins()
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			if isJSON(c) {
				return sc.program.json(struct {
					Where   calls.SecretPlace  `json:"where"`
					Secrets []calls.SecretView `json:"secrets"`
					Logins  []calls.LoginView  `json:"logins"`
				}{where, list, logins})
			}
			var b strings.Builder
			if len(list)+len(logins) == 0 {
				fmt.Fprintf(&b, "No secrets. Store one: %s secret set NAME\n", sc.program.Name)
			}
			for _, v := range list {
				fmt.Fprintf(&b, "%s  (%s%s)\n", v.Name, v.Place, hostsText(v.Hosts))
			}
			for _, l := range logins {
				fmt.Fprintf(&b, "login of %s on %s\n", oneLine(l.User), l.Origin)
			}
			state := ""
			if where.Locked {
				state = "; it is locked"
			}
			return sc.program.printf("%sNew secrets are stored in %s%s.\n", b.String(), where.Detail, state)
		}),
	})
}

func hostsText(hosts []string) string {
	if len(hosts) == 0 {
		return ""
	}
	return ", for " + strings.Join(hosts, ", ") + " only"
}

func (sc secretCommands) removeSecret() *cobra.Command {
	var origin string
	c := &cobra.Command{
		Use: "remove NAME", Short: "Remove a secret, or with --login a saved login",
		Example: "  " + sc.program.Name + " secret remove npm-token",
		RunE: sc.runWithVault(func(_ *cobra.Command, s *calls.SecretAPI, args []string) (err error) {
			if origin != "" {
				_, err = s.RemoveLogin(origin, args[0])
			} else {
				_, err = s.Remove(args[0])
			}
			if err != nil {
				return err
			}
			return sc.program.printf("%s is removed.\n", oneLine(args[0]))
		}),
	}
	c.Flags().StringVar(&origin, "login", "",
		"remove the login of the user NAME on this origin, such as https://example.org")
	return c
}

func (sc secretCommands) passphrase() *cobra.Command {
	var off bool
	c := &cobra.Command{
		Use: "passphrase", Short: "Lock the encrypted file with a passphrase, or change it",
		RunE: sc.runWithVault(func(c *cobra.Command, s *calls.SecretAPI, _ []string) error {
			next := ""
			if !off {
				var err error
				if next, err = sc.readValue(c.Context(), "The new passphrase"); err != nil {
					return err
				}
			}
			if _, err := s.Protect(next); err != nil {
				return err
			}
			if off {
				return sc.program.printf("Passphrase removed. Anyone who can read the key file can now read the secrets.\n")
			}
			return sc.program.printf("The encrypted file opens with this passphrase only. " +
				"It cannot be recovered if it is lost.\n")
		}),
	}
	c.Flags().BoolVar(&off, "off", false, "remove the passphrase")
	return c
}

// readValue reads a value from the terminal without showing it, or all of standard input without its last line end.
func (sc secretCommands) readValue(ctx context.Context, what string) (string, error) {
	if isTerminal(os.Stdin) {
		return sc.program.readHidden(ctx, what)
	}
	b, err := io.ReadAll(io.LimitReader(os.Stdin, 1<<16))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), nil
}
