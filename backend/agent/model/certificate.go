package model

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"time"

	"goalpost/backend/lib/text"
)

// certificateError returns the error for a server's certificate that is not accepted, nil if err has another cause.
func certificateError(err error, now time.Time) *Error {
	var refused *tls.CertificateVerificationError
	if !errors.As(err, &refused) {
		return nil
	}
	e := &Error{
		Kind:    Untrusted,
		Message: "the server's certificate is not accepted: " + text.SanitizeLine(refused.Err.Error(), maxMessage),
		Hint:    "check the base URL; if the network asks you to sign in, do that first",
		Err:     err,
	}
	var (
		unknown x509.UnknownAuthorityError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &unknown):
		e.Message = "the server's certificate is from an authority that this computer does not know"
		e.Hint = "if the network asks you to sign in, do that first; if your company or server has its own authority, " +
			"install its certificate on this computer, or start Goalpost with SSL_CERT_FILE=FILE"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		e.Message = "the server's certificate is not valid now: " + describeValidity(invalid.Cert, now)
		e.Hint = "check the clock of this computer, which says " + now.Format("2006-01-02 15:04") +
			"; if it is right, the server needs a new certificate"
	}
	return e
}

// describeValidity says why a certificate is not valid at a time.
func describeValidity(c *x509.Certificate, now time.Time) string {
	if now.Before(c.NotBefore) {
		return "it begins on " + c.NotBefore.Format(time.DateOnly)
	}
	return "it ended on " + c.NotAfter.Format(time.DateOnly)
}
