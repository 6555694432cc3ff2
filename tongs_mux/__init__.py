"""tongs_mux: panes that are verified before anything touches them."""
