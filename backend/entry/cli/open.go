package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// goalAddress is the only form of address that is opened. Anything may pass an address to the desktop, such as a page
// in a browser, so the form allows nothing but the id of a goal, or its last characters.
var goalAddress = text.NewPattern(`^goalpost://goal/([0-9a-hjkmnp-tv-z]{6,26})/?$`)

// parseGoalAddress returns the id in an address such as goalpost://goal/01m846vf8frnsxtyw4a7ncd3m7.
func parseGoalAddress(address string) (string, error) {
	const maxShown = 100
	found := goalAddress.FindStringSubmatch(address)
	if found == nil {
		return "", fault.Invalid("", fmt.Sprintf("%.*q is not the address of a goal", maxShown, address),
			"an address is goalpost://goal/ID, with an id that goalpost list shows")
	}
	return found[1], nil
}

// open shows a goal in the window that is open on this data folder, or in a new one. It changes nothing.
func (p Program) open() *cobra.Command {
	return &cobra.Command{
		Use: "open ADDRESS", Short: "Show the goal of a goalpost:// address in the window",
		Example: "  " + p.Name + " open goalpost://goal/01k3abcd",
		RunE: func(_ *cobra.Command, args []string) error {
			id, err := parseGoalAddress(args[0])
			if err != nil {
				return err
			}
			return exitCode(p.Window(id))
		},
	}
}
