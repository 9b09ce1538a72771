package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/host/webhook"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// notifyCommands manage the webhooks, which receive notifications.
type notifyCommands struct{ program Program }

func (n notifyCommands) notify() *cobra.Command {
	return newCommandGroup("notify", "Manage the webhooks that receive notifications",
		n.list(), n.add(), n.remove(), n.test())
}

// runWithWebhooks makes the RunE of a command about webhooks.
func (n notifyCommands) runWithWebhooks(
	do func(c *cobra.Command, w *calls.WebhookAPI, args []string) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return n.program.withConfig(func(cfg *config.Config) error {
			w, err := app.OpenWebhooks(cfg, n.program.Getenv, n.program.askPassphrase())
			if err != nil {
				return err
			}
			return do(c, calls.NewWebhookAPI(c.Context(), w), args)
		})
	}
}

func (n notifyCommands) list() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "list", Short: "List the webhooks, and whether the last message arrived",
		RunE: n.runWithWebhooks(func(c *cobra.Command, w *calls.WebhookAPI, _ []string) error {
			list, err := w.List()
			return n.program.printResult(c, list, err, func() error { return n.print(list) })
		}),
	})
}

func (n notifyCommands) print(list []api.Webhook) error {
	if len(list) == 0 {
		return n.program.printf("No webhooks. %s notify add --help shows how to add one.\n", n.program.Name)
	}
	lines := []string{"NAME\tFORM\tHOST\tEVENTS\tLAST DELIVERY"}
	for _, w := range list {
		last := "-"
		if w.FailedAt != "" {
			last = "failed " + formatStamp(w.FailedAt) + ": " + oneLine(w.Failure)
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\t%s", w.Name, w.Form, w.Host, strings.Join(w.Events, ", "), last))
	}
	return n.program.printTable(lines)
}

func (n notifyCommands) add() *cobra.Command {
	in := api.ArgsSaveWebhook{}
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a webhook, or replace it; its address is read from the terminal or from standard input",
		Long: "Add a webhook, or replace it. Its address is read from the terminal or from standard input, because " +
			"everyone who knows it can post there. It is kept with the secrets.",
		Example: "  " + n.program.Name + " notify add phone --form ntfy <topic-address.txt\n  " + n.program.Name +
			" notify add team --form slack --event ended",
		RunE: func(c *cobra.Command, args []string) error {
			address, err := secretCommands(n).readValue(c.Context(), "The address of "+args[0])
			if err != nil {
				return err
			}
			in.Name, in.URL = args[0], strings.TrimSpace(address)
			if in.URL == "" {
				return fault.Invalid("url", "no address was given", "write it to standard input")
			}
			return n.runWithWebhooks(func(_ *cobra.Command, w *calls.WebhookAPI, _ []string) error {
				if _, err := w.Save(in); err != nil {
					return err
				}
				return n.program.printf("The webhook %s is stored. %s notify test %s sends a message to it.\n", in.Name,
					n.program.Name, in.Name)
			})(c, args)
		},
	}
	fl := c.Flags()
	fl.StringVar(&in.Form, "form", string(webhook.Generic), "what the service understands: ntfy, slack, teams or generic")
	fl.StringArrayVar(&in.Events, "event", []string{string(webhook.NeedsYou), string(webhook.Ended)},
		"what it receives: needs_you, ended or digest (repeatable)")
	fl.BoolVar(&in.PlainHTTP, "plain-http", false,
		"allow an address without encryption, on this computer or in its private network")
	return c
}

func (n notifyCommands) remove() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a webhook with its address",
		Example: "  " + n.program.Name + " notify remove phone",
		RunE: n.runWithWebhooks(func(_ *cobra.Command, w *calls.WebhookAPI, args []string) error {
			if _, err := w.Delete(args[0]); err != nil {
				return err
			}
			return n.program.printf("The webhook %s is removed.\n", args[0])
		}),
	}
}

func (n notifyCommands) test() *cobra.Command {
	return &cobra.Command{
		Use: "test [NAME]", Short: "Send a test to one webhook, or to all of them",
		Example: "  " + n.program.Name + " notify test phone",
		RunE: n.runWithWebhooks(func(_ *cobra.Command, w *calls.WebhookAPI, args []string) error {
			names := args
			if len(names) == 0 {
				list, err := w.List()
				if err != nil {
					return err
				}
				for _, one := range list {
					names = append(names, one.Name)
				}
			}
			if len(names) == 0 {
				return fault.Invalid("name", "there is no webhook", "add one with notify add")
			}
			return n.testAll(w, names)
		}),
	}
}

// testAll tests webhooks one after the other. Its error has those that did not arrive.
func (n notifyCommands) testAll(w *calls.WebhookAPI, names []string) error {
	var errs []error
	for _, name := range names {
		result, err := w.Test(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		elapsed := time.Duration(result.ElapsedMS) * time.Millisecond
		errs = append(errs, n.program.printf("%s: arrived, answer %d after %s\n", name, result.Status, elapsed))
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}
