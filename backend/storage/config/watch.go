package config

import "goalpost/backend/lib/fileio"

// Watch calls changed each time that the settings file has another content, until the returned function ends it.
func (c *Config) Watch(changed func()) (end func() error, err error) {
	return fileio.Watch(c.Path(), changed)
}
