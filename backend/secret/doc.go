// Package secret keeps what must not be read: keys, passwords and saved logins.
//
// Values are in the system's keyring (Secret Service, Keychain, Credential
// Manager) or, where none runs, in a file that is encrypted with age. Its key is a
// file that only the user may read, or one that the user's passphrase opens.
// Vault.Where says which. Nothing is ever kept in the clear; where neither can be
// had, saving fails.
//
// An agent never gets a value. It writes {{secret:NAME}} where one belongs, the
// host fills it in just before a call is executed (Refs, Fill), and a Mask puts
// the reference back wherever the value comes to light again.
//
// # Saved logins of pages
//
// Vault.Logins are user names and passwords that belong to one origin, which is
// scheme, host and port ("https://example.org", "http://localhost:8080"). They are
// given out for exactly that origin:
//
//	users, err := logins.Users(origin)              // no password is opened
//	login, err := logins.For(ctx, origin, user)     // "" takes the only one
//	err := logins.Save(ctx, secret.Login{Origin: origin, User: user, Password: password})
//
// The origin asked for must be the one that the frame with the field has *now*,
// as the browser says it and not as the page or the model does, and must be asked
// again after the values were put in; a page may have gone elsewhere.
// A frame inside a page counts by its own origin. The password goes into a field
// of type password only, and never into a result. For has made the process's
// Mask know it, so what shows it later is masked. Packages that cannot import
// this one declare the interface that they need of Logins; the wiring fits it in.
package secret
