package calls

import (
	"context"

	"goalpost/backend/storage/devices"
)

// DeviceAPI manages the browsers of other devices that may use this program.
type DeviceAPI struct {
	list    *devices.List
	sharing func() Sharing
	apiBase
}

// NewDeviceAPI makes the API; ctx is the program's life. sharing returns how other devices reach the program now.
func NewDeviceAPI(ctx context.Context, list *devices.List, sharing func() Sharing) *DeviceAPI {
	return &DeviceAPI{list, sharing, apiBase{ctx}}
}

// Sharing is how other devices reach the program.
type Sharing struct {
	URL         string `json:"url"`         // of the page, "" if no device can reach it
	Authority   string `json:"authority"`   // URL of the certificate that devices install to trust the connection
	Fingerprint string `json:"fingerprint"` // SHA-256 of that certificate
	Problem     string `json:"problem"`     // why the address of the settings is not shared, "" if it is
}

// Device is a browser that is logged in.
type Device = devices.Device

// DeviceOverview is who may use the program, and how they get in.
type DeviceOverview struct {
	Sharing     Sharing  `json:"sharing"`
	HasPassword bool     `json:"has_password"`
	Devices     []Device `json:"devices"` // the newest first
}

// DeviceLink logs in one device.
type DeviceLink struct {
	devices.Link

	QR []string `json:"qr"` // rows of squares, of which # is dark
}

// Overview returns the devices, and how others log in.
func (d *DeviceAPI) Overview() (out DeviceOverview, err error) {
	defer d.recoverProblem(&err)
	all, err := d.list.All()
	return DeviceOverview{d.sharing(), d.list.HasPassword(), all}, err
}

// NewLink makes a link that logs in one device within ten minutes.
func (d *DeviceAPI) NewLink() (out DeviceLink, err error) {
	defer d.recoverProblem(&err)
	if out.Link, err = d.list.NewLink(); err != nil {
		return out, err
	}
	out.QR, err = out.Link.QR()
	return out, err
}

// Revoke ends the login of a device, and closes what it has open.
func (d *DeviceAPI) Revoke(id string) (ok bool, err error) {
	defer d.recoverProblem(&err)
	return true, d.list.Revoke(id)
}

// SetPassword sets the password with which devices log in; "" removes it. Logins by the former one end.
func (d *DeviceAPI) SetPassword(password string) (ok bool, err error) {
	defer d.recoverProblem(&err)
	if password == "" {
		return true, d.list.RemovePassword()
	}
	return true, d.list.SetPassword(password)
}
