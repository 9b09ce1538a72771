package calls

import (
	"context"

	"goalpost/backend/domain/event"
	"goalpost/backend/storage/secret"
)

// SecretAPI manages the user's secrets and saved logins. It never returns their values.
type SecretAPI struct {
	vault *secret.Vault
	apiBase
}

// NewSecretAPI makes the API; ctx is the program's life.
func NewSecretAPI(ctx context.Context, v *secret.Vault) *SecretAPI {
	return &SecretAPI{v, apiBase{ctx}}
}

// The types of this API.
type (
	// SecretPlace is where new values are stored, and what protects them.
	SecretPlace struct {
		Place      secret.Backend `json:"place"`
		Detail     string         `json:"detail"`
		Locked     bool           `json:"locked"` // Unlock has to be called first
		Passphrase bool           `json:"passphrase"`
	}
	// SecretView is a secret without its value.
	SecretView struct {
		Name  string         `json:"name"`
		Place secret.Backend `json:"place"`
		Hosts []string       `json:"hosts"` // to which it may be sent; empty = all
		Added string         `json:"added"` // RFC 3339
	}
	// LoginView is a saved login without its password.
	LoginView struct {
		Origin string `json:"origin"`
		User   string `json:"user"`
	}
	// SecretInput is a secret to store. It replaces an older one of that name.
	SecretInput struct {
		Name  string   `json:"name"`
		Value string   `json:"value"`
		Hosts []string `json:"hosts"`
	}
	// LoginInput is a login to store.
	LoginInput struct {
		Origin   string `json:"origin"`
		User     string `json:"user"`
		Password string `json:"password"`
	}
)

// Where describes where new values are stored.
func (sa *SecretAPI) Where() (out SecretPlace, err error) {
	defer sa.recoverProblem(&err)
	w := sa.vault.Where(sa.ctx)
	return SecretPlace{w.Place, w.Detail, w.Locked, w.Passphrase}, nil
}

// List lists the secrets, by name.
func (sa *SecretAPI) List() (out []SecretView, err error) {
	defer sa.recoverProblem(&err)
	list, err := sa.vault.List()
	out = []SecretView{}
	for _, s := range list {
		out = append(out,
			SecretView{s.Name, s.Place, append([]string{}, s.Hosts...), s.Added.UTC().Format(event.TimeLayout)})
	}
	return out, err
}

// Set stores a secret and returns where: keyring or file.
func (sa *SecretAPI) Set(in SecretInput) (place string, err error) {
	defer sa.recoverProblem(&err)
	p, err := sa.vault.Set(sa.ctx, in.Name, in.Value, in.Hosts)
	return string(p), err
}

// Remove removes a secret.
func (sa *SecretAPI) Remove(name string) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	return true, sa.vault.Remove(sa.ctx, name)
}

// Unlock unlocks the encrypted file for this process with the user's passphrase.
func (sa *SecretAPI) Unlock(passphrase string) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	return true, sa.vault.Unlock(passphrase)
}

// Protect protects the key of the encrypted file with a passphrase. The passphrase "" removes the protection.
func (sa *SecretAPI) Protect(passphrase string) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	return true, sa.vault.SetPassphrase(sa.ctx, passphrase)
}

// Logins lists the saved logins, by origin and user.
func (sa *SecretAPI) Logins() (out []LoginView, err error) {
	defer sa.recoverProblem(&err)
	list, err := sa.vault.Logins().List()
	return viewAll(list, func(l secret.Login) LoginView { return LoginView{l.Origin, l.User} }), err
}

// SaveLogin stores a login, and replaces an older one of the same user for that origin.
func (sa *SecretAPI) SaveLogin(in LoginInput) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	return true, sa.vault.Logins().Save(sa.ctx, secret.Login{Origin: in.Origin, User: in.User, Password: in.Password})
}

// ChangeLogin gives the saved login of a user another user name or password. An empty password stays as it is.
func (sa *SecretAPI) ChangeLogin(user string, in LoginInput) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	old := secret.Login{Origin: in.Origin, User: user}
	return true, sa.vault.Logins().Change(sa.ctx, old, secret.Login{User: in.User, Password: in.Password})
}

// RemoveLogin removes a login.
func (sa *SecretAPI) RemoveLogin(origin, user string) (ok bool, err error) {
	defer sa.recoverProblem(&err)
	return true, sa.vault.Logins().Remove(sa.ctx, origin, user)
}
