"""tongs_agents: the command line, the harnesses and the demo on top of tongs_mux."""
