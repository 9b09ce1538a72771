package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/app"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
)

// mcpCommands manage MCP servers, and serve goals as one.
type mcpCommands struct{ program Program }

// mcp serves MCP to another agent on standard input and output. Goals that the agent creates end with this process.
func (mc mcpCommands) mcp() *cobra.Command {
	var b policy.Policy
	var risk string
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Run an MCP server on stdio that lets another agent create goals and use panes",
		Long: "Run a Model Context Protocol server on standard input and output. Another agent can create, watch and " +
			"steer goals and use panes, within the limits given here.\n" +
			"When this program ends, its goals are paused as interrupted and can be resumed. Answer approvals in a window " +
			"or with approve.",
		Example: "  " + mc.program.Name + " mcp --dir ~/work --risk write_local",
		RunE: func(c *cobra.Command, _ []string) error {
			b.Risk = policy.Risk(risk)
			return mc.program.withApp(c.Context(), app.Options{Stays: true}, func(a *app.App) error {
				return mc.serveMCP(c.Context(), a, b)
			})
		},
	}
	c.Flags().StringVar(&b.Dir, "dir", "", "folder in which goals and panes work (default: the current one)")
	c.Flags().StringVar(&risk, "risk", string(policy.WriteLocal), "maximum risk level of goals and panes: "+
		policy.RiskNames())
	c.Flags().StringArrayVar(&b.AllowHosts, "allow-host", nil, "hosts that may be contacted")
	c.Flags().StringArrayVar(&b.DenyHosts, "deny-host", nil, "hosts that may not be contacted")
	c.AddCommand(mc.mcpServers())
	return c
}

func (mc mcpCommands) serveMCP(ctx context.Context, a *app.App, b policy.Policy) (err error) {
	if err := mc.program.recover(ctx, a); err != nil {
		return err
	}
	if b.Dir, err = mc.program.absolute(b.Dir); err != nil {
		return err
	}
	d, err := a.OpenMCPServer(ctx, b)
	if err != nil {
		return err
	}
	mc.program.announceClient("another agent")
	return mc.program.serveUntilSignal(ctx, func(ctx context.Context) error {
		served, err := d.Tools()
		if err != nil {
			return fmt.Errorf("mcp: %w", err)
		}
		return mcp.Serve(answeredByPage(ctx), served, mc.program.Stdin, nopCloser{mc.program.Stdout})
	}, d.Close)
}

// nopCloser is standard output, which this command must not close.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// mcpServers groups the commands for the user's servers whose tools goals may use.
func (mc mcpCommands) mcpServers() *cobra.Command {
	return newCommandGroup("servers", "Manage the MCP servers whose tools goals may use",
		mc.listMCPServers(), mc.addMCPServer(), mc.testMCPServer(), mc.logInMCPServer(), mc.removeMCPServer())
}

// runWithMCP makes the RunE of a command that needs the API of MCP servers.
func (mc mcpCommands) runWithMCP(
	do func(c *cobra.Command, m *calls.MCPAPI, args []string) error,
) func(*cobra.Command, []string) error {
	return mc.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
		return do(c, calls.NewMCPAPI(c.Context(), a.MCPServers()), args)
	})
}

func (mc mcpCommands) listMCPServers() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "list", Short: "List the MCP servers and their tools at the last contact",
		RunE: mc.runWithMCP(func(c *cobra.Command, m *calls.MCPAPI, _ []string) error {
			list, err := m.List()
			return mc.program.printResult(c, list, err, func() error { return mc.mcpTable(list) })
		}),
	})
}

func (mc mcpCommands) mcpTable(list []api.MCPServer) error {
	if len(list) == 0 {
		return mc.program.printf("No MCP servers. Add one: %s mcp servers add NAME -- COMMAND…\n", mc.program.Name)
	}
	lines := []string{"NAME\tTOOLS\tASKED\tWHERE"}
	for _, s := range list {
		where, listedAt, tools := s.URL, s.ListedAt, fmt.Sprint(len(s.Tools))
		if where == "" {
			where = strings.Join(append([]string{s.Command}, s.Args...), " ")
		}
		switch {
		case s.Off:
			listedAt, tools = "off", "-"
		case listedAt == "":
			listedAt, tools = "not yet", "-"
		}
		lines = append(lines, strings.Join([]string{oneLine(s.Name), tools, oneLine(listedAt), oneLine(where)}, "\t"))
	}
	return mc.program.printTable(lines)
}

func (mc mcpCommands) addMCPServer() *cobra.Command {
	var s api.MCPServer
	c := &cobra.Command{
		Use: "add NAME [--url URL] [-- COMMAND…]", Short: "Add or update a server",
		Example: "  " + mc.program.Name + " mcp servers add notes -- notes-mcp --folder .\n  " + mc.program.Name +
			" mcp servers add issues --url https://mcp.example.org/ --header 'Authorization: Bearer {{secret:ISSUES}}'",
		RunE: mc.runWithMCP(func(_ *cobra.Command, m *calls.MCPAPI, args []string) error {
			s.Name = args[0]
			if len(args) > 1 {
				s.Command, s.Args = args[1], args[2:]
			}
			for i, path := range s.Read {
				if whole, err := filepath.Abs(path); err == nil {
					s.Read[i] = whole
				}
			}
			if _, err := m.Save(s); err != nil {
				return err
			}
			return mc.program.printf("%s is saved; %s mcp servers test %s lists its tools.\n", s.Name, mc.program.Name, s.Name)
		}),
	}
	c.Flags().StringVar(&s.URL, "url", "", "its address, if it is not a program (streamable HTTP)")
	c.Flags().StringArrayVar(&s.Env, "env", nil, "KEY=VALUE for the program")
	c.Flags().StringArrayVar(&s.Headers, "header", nil, "'Name: value' for the address")
	c.Flags().StringVar(&s.Risk, "risk", "", "risk level of all its tools (default: from the server's annotations)")
	c.Flags().StringArrayVar(&s.Read, "read", nil, "folder that the program needs, such as its own in your home")
	c.Flags().IntVar(&s.TimeoutSeconds, "timeout", 0, "timeout of one call, in seconds (default 120)")
	c.Flags().IntVar(&s.StartSeconds, "start-timeout", 0, "timeout of a start, in seconds (default 30)")
	c.Flags().BoolVar(&s.Off, "off", false, "save it but keep it disabled")
	return c
}

func (mc mcpCommands) testMCPServer() *cobra.Command {
	return &cobra.Command{
		Use: "test NAME", Short: "Start a server as a goal would and show its tools",
		Example: "  " + mc.program.Name + " mcp servers test notes",
		RunE: mc.runWithMCP(func(_ *cobra.Command, m *calls.MCPAPI, args []string) error {
			s, err := mc.showingProgress(m, args[0], m.Test)
			if err != nil {
				return err
			}
			return mc.printTools(s)
		}),
	}
}

func (mc mcpCommands) logInMCPServer() *cobra.Command {
	return &cobra.Command{
		Use: "login NAME", Short: "Log in to a server that asks for it, with a browser on this machine",
		Example: "  " + mc.program.Name + " mcp servers login issues",
		RunE: mc.runWithMCP(func(_ *cobra.Command, m *calls.MCPAPI, args []string) error {
			s, err := mc.showingProgress(m, args[0], m.LogIn)
			if err != nil {
				return err
			}
			return mc.printTools(s)
		}),
	}
}

func (mc mcpCommands) printTools(s api.MCPServer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %d tools\n", oneLine(s.Name), oneLine(s.Title), len(s.Tools))
	for _, t := range s.Tools {
		fmt.Fprintf(&b, "  %-24s %-14s %s\n", oneLine(t.Name), t.Risk, oneLine(t.Description))
	}
	for _, note := range s.Notes {
		fmt.Fprintf(&b, "Note: %s\n", oneLine(note))
	}
	return mc.program.printf("%s", b.String())
}

// showingProgress starts a server, and reports on standard error where the user logs in, and every few seconds how the
// start goes.
func (mc mcpCommands) showingProgress(
	m *calls.MCPAPI, name string, do func(name string) (api.MCPServer, error),
) (s api.MCPServer, err error) {
	const interval, shownTicks = 500 * time.Millisecond, 10
	done := make(chan struct{})
	go func() {
		defer close(done)
		s, err = do(name)
	}()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	shown := ""
	for n := 1; ; n++ {
		select {
		case <-done:
			return s, err
		case <-tick.C:
		}
		list, _ := m.List()
		i := slices.IndexFunc(list, func(s api.MCPServer) bool { return s.Name == name })
		switch {
		case i < 0:
		case list[i].LoginAddress != "" && list[i].LoginAddress != shown:
			shown = list[i].LoginAddress
			mc.program.errorf("Open this address in a browser on this machine, and log in:\n  %s\n", shown)
		case shown == "" && list[i].Progress != "" && n%shownTicks == 0:
			mc.program.errorf("%s: %s\n", name, list[i].Progress)
		}
	}
}

func (mc mcpCommands) removeMCPServer() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a server",
		Example: "  " + mc.program.Name + " mcp servers remove notes",
		RunE: mc.runWithMCP(func(_ *cobra.Command, m *calls.MCPAPI, args []string) error {
			if _, err := m.Delete(args[0]); err != nil {
				return err
			}
			return mc.program.printf("%s is removed.\n", args[0])
		}),
	}
}
