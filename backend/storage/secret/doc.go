// Package secret stores values that agents must not read: keys, passwords and saved logins.
//
// Values are in the system's keyring (Secret Service, Keychain, Credential Manager) or, if none is running, in a file
// that is encrypted with age. Its key is a file that only the user may read, or one protected by the user's
// passphrase. Vault.Where says which. Nothing is ever stored unencrypted; if neither is available, saving fails.
//
// An agent never gets a value. It writes {{secret:NAME}} in its place, the host inserts it just before a call is
// executed (Refs, Fill), and a Mask restores the reference wherever the value appears again.
//
// # Saved logins of pages
//
// Vault.Logins are user names and passwords that belong to one origin, which is scheme, host and port
// ("https://example.org", "http://localhost:8080"). They are returned for exactly that origin:
//
//	users, err := logins.Users(origin)              // reads no password
//	login, err := logins.For(ctx, origin, user)     // "" means the only user
//	err := logins.Save(ctx, secret.Login{Origin: origin, User: user, Password: password})
//
// The origin must be that of the frame with the field *now*, as reported by the browser and not by the page or the
// model. It must be checked again after the values were inserted, because the page may have navigated. A frame inside
// a page has its own origin. The password goes into a field of type password only, and never into a result. For adds
// it to the process's Mask, so that it is masked wherever it appears later. Packages that cannot import this one
// declare the interface that they need of Logins.
package secret
