package app

import (
	"context"
	"fmt"
	"os"
	"strings"

	"goalpost/backend/goals/attention"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// openSecrets opens the user's secrets, which are read when first needed. It also adds the keys and tokens in the
// environment of this process to the mask.
func (a *App) openSecrets(ask func(context.Context) (string, error)) (err error) {
	if a.secrets, err = newVault(a.cfg, os.Getenv, ask, a.mask); err != nil {
		return err
	}
	a.HideEnvironment(os.Environ())
	a.cfg.HideInLog(a.mask.JSON)
	return nil
}

// HideEnvironment adds the keys and tokens of an environment to the mask.
func (a *App) HideEnvironment(env []string) {
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if goalsandbox.SecretEnvPattern.MatchString(entry) && !strings.HasPrefix(value, "/") {
			a.mask.Add("[hidden: "+name+" of your environment]", value)
		}
	}
}

// OpenVault opens the secrets of a data folder for a command that needs nothing else.
func OpenVault(
	c *config.Config, getenv func(string) string, ask func(context.Context) (string, error),
) (*secret.Vault, error) {
	return newVault(c, getenv, ask, &secret.Mask{})
}

// OpenWebhooks opens the webhooks of a data folder for a command that needs nothing else.
func OpenWebhooks(
	c *config.Config, getenv func(string) string, ask func(context.Context) (string, error),
) (*attention.Webhooks, error) {
	mask := &secret.Mask{}
	v, err := newVault(c, getenv, ask, mask)
	if err != nil {
		return nil, err
	}
	return attention.NewWebhooks(c, v, mask, c.Log(), newClock()), nil
}

func newVault(
	c *config.Config, getenv func(string) string, ask func(context.Context) (string, error), mask *secret.Mask,
) (*secret.Vault, error) {
	v, err := secret.Open(secret.Options{
		Dir: c.State(), KeyFile: getenv(config.KeyFileVariable), NoKeyring: c.Settings().SecretsInFile, Ask: ask, Mask: mask,
	})
	if err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	return v, nil
}

// Secrets returns the user's secrets and logins, for the settings and the command line.
func (a *App) Secrets() *secret.Vault { return a.secrets }
